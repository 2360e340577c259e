package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/recondrill/recondrill/sim"
)

// Two processes add one to a number that is kept outside, each by a call that reads and a call that writes. In the plain
// run they go in turn; the script below lets the second one in between.
func Example() {
	run := func(d sim.Decider) (number int, h *sim.History) {
		k := sim.New(sim.Config{Epoch: time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC), Seed: 1, Decider: d})
		defer k.Close()
		for _, name := range []string{"ann", "bob"} {
			k.Process(name, -1, func(ctx context.Context, p *sim.Process) error {
				seen := 0
				if _, err := k.Call(ctx, sim.Call{Actor: "store", Label: "read", Do: func(sim.Value, time.Time) { seen = number }}); err != nil {
					return err
				}
				_, err := k.Call(ctx, sim.Call{Actor: "store", Label: "write", Do: func(sim.Value, time.Time) { number = seen + 1 }})
				return err
			})
		}
		if err := k.Run(context.Background(), time.Hour); err != nil {
			fmt.Println(err)
		}
		return number, k.History()
	}
	number, _ := run(sim.Plain())
	fmt.Println("in turn:", number)

	script, err := sim.ParseScript("version  1\n\nann#0/main  call:store write/1  then  bob#0/main\n")
	if err != nil {
		fmt.Println(err)
		return
	}
	number, h := run(sim.Recorded(script))
	fmt.Println("by the script:", number)
	_, again := run(sim.Recorded(script))
	fmt.Println("the same run twice:", h.Hash() == again.Hash())
	// Output:
	// in turn: 2
	// by the script: 1
	// the same run twice: true
}
