package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/postgres/queries"
)

// Template is a stored version of a message's content: text/template over package delivery's Words.
type Template struct {
	Version string // sha256 of channel, kind, subject and body, hex; made by ApproveTemplates
	Channel engine.ChannelName
	Kind    string // invoice, reminder, confirmation
	Subject string
	Body    string
}

// ApproveTemplates stores versions under their hash and makes them the current ones of their channel and kind, at most
// one each. What was current retires; intents keep the version they were born with. It gives the versions in the order
// of all. The caller checks content before (delivery.CheckTemplate): a version that cannot be rendered only kills
// intents.
func (d *DB) ApproveTemplates(ctx context.Context, by string, all []Template) ([]string, error) {
	var p queries.ApproveTemplatesParams
	for _, t := range all {
		p.VersionIds = append(p.VersionIds, t.hash())
		p.Channels = append(p.Channels, string(t.Channel))
		p.Kinds = append(p.Kinds, t.Kind)
		p.Subjects = append(p.Subjects, t.Subject)
		p.Bodies = append(p.Bodies, t.Body)
	}
	p.ApprovedBy = by
	err := d.inTx(ctx, txOptions{Name: "ApproveTemplates"}, func(ctx context.Context, q *queries.Queries) error {
		_, err := q.RetireTemplates(ctx, queries.RetireTemplatesParams{VersionIds: p.VersionIds, Channels: p.Channels, Kinds: p.Kinds})
		if err != nil {
			return err
		}
		stored, err := q.ApproveTemplates(ctx, p)
		if err == nil && len(stored) != len(all) {
			err = fmt.Errorf("stored %d templates, wanted %d", len(stored), len(all))
		}
		return err
	})
	return p.VersionIds, err
}

// hash covers what decides whose content it is, each part with its length, so that no two cuts read the same.
func (t Template) hash() string {
	var b strings.Builder
	for _, part := range []string{string(t.Channel), t.Kind, t.Subject, t.Body} {
		fmt.Fprintf(&b, "%d:%s", len(part), part)
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])
}
