package ops

import (
	"context"
	"fmt"

	"github.com/recondrill/recondrill/engine"
	"github.com/recondrill/recondrill/engine/advice"
	"github.com/recondrill/recondrill/engine/postgres"
)

// Do carries an act of package advice out on a record. Nothing and Wait do nothing. Approving a correction above
// the limit of the settings leaves it proposed until a second person approves it too.
func Do(ctx context.Context, db *postgres.DB, s Settings, act advice.Act, a Act, kind Kind, record engine.Key) error {
	switch act {
	case advice.Nothing, advice.Wait:
		return nil
	case advice.Redrive:
		return Redrive(ctx, db, a, kind, record)
	case advice.LookUp:
		return LookUp(ctx, db, a, kind, record)
	case advice.ResendSameKey:
		return ResendSameKey(ctx, db, a, kind, record)
	case advice.ReleaseHold:
		return ReleaseHold(ctx, db, a, record)
	case advice.Suppress:
		return Suppress(ctx, db, a, record)
	case advice.Approve:
		return Approve(ctx, db, s, a, record)
	case advice.Refuse:
		return Refuse(ctx, db, a, record)
	case advice.GiveUp:
		return GiveUp(ctx, db, a, record)
	case advice.Review:
		return Review(ctx, db, a, kind, record)
	default:
		return fmt.Errorf("act %q: accepted are %v", act, advice.Acts())
	}
}
