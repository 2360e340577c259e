package world

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Setup says what world to make. It is data and printable; zero values have the defaults of WithDefaults.
type Setup struct {
	Accounts     int      // 2
	CustomersPer int      // of each account: 2
	InvoicesPer  int      // of each customer: 1
	Windows      int      // settled windows the provider has statements for: 1
	Currencies   []string // USD EUR JPY
	Plant        []string // kinds of PlantKinds, round robin over accounts; empty: two and one the seed picks; "none": nothing
	Provider     Terms
	Channels     []ChannelSetup // email keyed, sms lookup, push neither
	Statements   string         // a directory of NAME.csv with NAME.ledger.csv: one account each
	OptedOut     int            // contacts per 10,000 that want no messages: 0
	PayersDuring bool           // some open invoices are paid while the run goes on
	Crons        []CronSetup
	Epoch        time.Time // what "now" is at the start: the kernel's epoch, filled in by New
}

// Terms is what an outside service promises and how it keeps it.
type Terms struct {
	Keyed        bool          // the same key again is the same act, for KeyRetention
	LookUp       bool          // it can be asked what became of a key
	KeyRetention time.Duration // 24h
	Settling     time.Duration // "absent" counts only this long after the submission: 5m
	CallTimeout  time.Duration // the longest a caller is expected to wait: 30s
	LookUpLag    time.Duration // an effect shows in a look-up only this long after it; below Settling
	Stores       string        // which answers a key replays: all, 2xx, non-validation
	InFlight     string        // a key whose first call is not over: 409 or block
	Mismatch     string        // a key with other parameters: error or replay
}

// ChannelSetup is one channel.
type ChannelSetup struct {
	Name         string // email sms push
	Terms        Terms
	ReceiptAfter time.Duration // typical: 30s; drawn between none and four times that
}

// CronSetup is one cron host with its timetable: Slots instants, Every apart, from First on, or from the first time
// after the epoch that clocks in Zone show At. A time that a change of the clocks leaves out is its end, one that it
// brings twice is the first of both. One that was off fires what it missed as it comes up: its timetable begins Back
// before that.
type CronSetup struct {
	Name  string
	First time.Time // zero, without At: the first 02:00Z after the epoch
	At    string    // local, 02:30
	Zone  string    // IANA name: UTC
	Back  time.Duration
	Every time.Duration
	Slots int
	Apart []time.Duration // how far off duplicate, early and late ticks may be: 1s 40s 5m
}

// The knobs' words, the default first.
var (
	storesWords   = []string{"2xx", "non-validation", "all"}
	inFlightWords = []string{"409", "block"}
	mismatchWords = []string{"error", "replay"}
)

// WithDefaults fills in what is zero.
func (s Setup) WithDefaults() Setup {
	setDefault(&s.Accounts, 2)
	setDefault(&s.CustomersPer, 2)
	setDefault(&s.InvoicesPer, 1)
	setDefault(&s.Windows, 1)
	if len(s.Currencies) == 0 {
		s.Currencies = []string{"USD", "EUR", "JPY"}
	}
	if s.Provider == (Terms{}) {
		s.Provider = Terms{Keyed: true, LookUp: true}
	}
	s.Provider = s.Provider.withDefaults()
	if len(s.Channels) == 0 {
		s.Channels = []ChannelSetup{
			{Name: "email", Terms: Terms{Keyed: true}},
			{Name: "sms", Terms: Terms{LookUp: true}},
			{Name: "push"},
		}
	}
	s.Channels = slices.Clone(s.Channels)
	for i := range s.Channels {
		c := &s.Channels[i]
		c.Terms = c.Terms.withDefaults()
		setDefault(&c.ReceiptAfter, 30*time.Second)
	}
	s.Crons = slices.Clone(s.Crons)
	for i := range s.Crons {
		c := &s.Crons[i]
		setDefault(&c.Zone, "UTC")
		setDefault(&c.Every, 24*time.Hour)
		setDefault(&c.Slots, 1)
		if len(c.Apart) == 0 {
			c.Apart = []time.Duration{time.Second, 40 * time.Second, 5 * time.Minute}
		}
	}
	return s
}

func (t Terms) withDefaults() Terms {
	setDefault(&t.KeyRetention, 24*time.Hour)
	setDefault(&t.Settling, 5*time.Minute)
	setDefault(&t.CallTimeout, 30*time.Second)
	setDefault(&t.Stores, storesWords[0])
	setDefault(&t.InFlight, inFlightWords[0])
	setDefault(&t.Mismatch, mismatchWords[0])
	return t
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// validate says what cannot be made, naming the field and what would be accepted.
func (s Setup) validate() error {
	for _, n := range []struct {
		name  string
		value int
	}{{"Accounts", s.Accounts}, {"CustomersPer", s.CustomersPer}, {"InvoicesPer", s.InvoicesPer}, {"Windows", s.Windows}} {
		if n.value < 1 || n.value > 1000 {
			return fmt.Errorf("world setup: %s is %d; accepted is 1 to 1000", n.name, n.value)
		}
	}
	for _, c := range s.Currencies {
		if _, err := exponent(c); err != nil {
			return fmt.Errorf("world setup: Currencies: %w", err)
		}
	}
	for _, p := range s.Plant {
		if p != PlantNone && !slices.Contains(PlantKinds(), p) {
			return fmt.Errorf("world setup: Plant %q is unknown; accepted are %s, %s", p, strings.Join(PlantKinds(), ", "), PlantNone)
		}
	}
	if err := s.Provider.validate("Provider"); err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, c := range s.Channels {
		if c.Name == "" || c.Name == ProviderName || seen[c.Name] {
			return fmt.Errorf("world setup: channel name %q: accepted are distinct names that are not empty and not %q", c.Name, ProviderName)
		}
		seen[c.Name] = true
		if err := c.Terms.validate("channel " + c.Name); err != nil {
			return err
		}
	}
	for _, c := range s.Crons {
		if c.Name == "" || seen[c.Name] || c.Every <= 0 || c.Slots < 1 {
			return fmt.Errorf("world setup: cron %q every %s with %d slots: accepted are distinct names, Every above 0 and at least one slot", c.Name, c.Every, c.Slots)
		}
		seen[c.Name] = true
		if _, err := firstAt(c.Zone, c.At, DefaultEpoch); err != nil && c.At != "" {
			return fmt.Errorf("world setup: cron %s: %w", c.Name, err)
		}
	}
	return nil
}

func (t Terms) validate(of string) error {
	for _, w := range []struct {
		name, value string
		accepted    []string
	}{{"Stores", t.Stores, storesWords}, {"InFlight", t.InFlight, inFlightWords}, {"Mismatch", t.Mismatch, mismatchWords}} {
		if !slices.Contains(w.accepted, w.value) {
			return fmt.Errorf("world setup: %s %s is %q; accepted are %s", of, w.name, w.value, strings.Join(w.accepted, ", "))
		}
	}
	if t.LookUpLag < 0 || t.CallTimeout <= 0 || t.CallTimeout+t.LookUpLag >= t.Settling {
		return fmt.Errorf("world setup: %s: CallTimeout %s and LookUpLag %s must together be below Settling %s", of, t.CallTimeout, t.LookUpLag, t.Settling)
	}
	return nil
}
