package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svcpay/internal/platform/inbox"
)

type replayCommand struct {
	Since time.Time `required:"" placeholder:"TIME" help:"Replay the messages that arrived at or after this time, such as 2026-12-01T09:00:00Z."`
	From  string    `placeholder:"NAME" help:"Replay only the messages of this counterparty, such as processor/sandbox. Default: all."`
}

// Help implements kong.HelpProvider.
func (replayCommand) Help() string {
	return "Use it after a release that corrects how messages are read. Messages that were handled correctly change nothing when they are handled again. " +
		"Handled messages are kept for 30 days. A running server does the work. Reads DATABASE_URL."
}

// Run has the messages handled again and says how many there are.
func (c replayCommand) Run(w *world) error {
	return useDatabase(w, 0, func(o opened) error {
		inboxes := inbox.New(o.pool, o.rules, machineTime)
		names, err := inboxes.Names(w.ctx)
		if err != nil {
			return err
		}
		if c.From != "" && !slices.Contains(names, c.From) {
			return errors.New("--from: nothing was ever received from " + c.From + "; there is " +
				strings.Join(names, ", "))
		}
		n, err := inboxes.Replay(w.ctx, c.From, c.Since)
		if err == nil {
			_, err = fmt.Fprintf(w.stdout, "messages to handle again: %d\n", n)
		}
		return err
	})
}
