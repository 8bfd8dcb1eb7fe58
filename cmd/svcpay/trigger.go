package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"svcpay/internal/devtools/trigger"
	"svcpay/internal/event"
)

type triggerCommand struct {
	access
	Type      string   `arg:"" help:"The type of the event, such as charge.captured."`
	On        string   `placeholder:"ID" help:"The object that it happens to (default: one that is made)."`
	Data      document `placeholder:"FILE" help:"JSON object with members for the object that is made, such as {\"amount\": 700}; - reads standard input."`
	Merchant  int64    `placeholder:"N" help:"The merchant that objects are made for (default: the application's first active one)."`
	MoveClock bool     `help:"Allow to move the application's clock ahead, which is for good, where an event comes only with time."`
}

// Help implements kong.HelpProvider.
func (triggerCommand) Help() string {
	var b strings.Builder
	b.WriteString(
		"Makes an event happen in a sandbox, by what makes it happen for real, and prints it when it is in the log. " +
			"--on takes the object that the list names, and --data members for what is made. " + accessHelp + "\n")
	for _, t := range event.Types() {
		var notes []string
		switch on := trigger.On(t.Name); {
		case trigger.Why(t.Name) != "":
			notes = append(notes, "not here: "+trigger.Why(t.Name))
		case on != "":
			notes = append(notes, "--on "+strings.ReplaceAll(on, "_", " "))
		}
		if trigger.Takes(t.Name, false) {
			notes = append(notes, "--data")
		}
		if trigger.Moves(t.Name, false) {
			notes = append(notes, "--move-clock")
		}
		fmt.Fprintf(&b, "\n  %-26s %s", t.Name, strings.Join(notes, ", "))
	}
	return b.String()
}

// Run makes the event happen.
func (c triggerCommand) Run(w *world) error {
	p, err := c.open(w)
	if err != nil {
		return err
	}
	if p.environment() == "production" {
		return errors.New("this works in a sandbox only: in production, events come from the processor")
	}
	m := &trigger.Maker{API: p.Client, Told: func(text string) { fmt.Fprintln(w.stderr, text) }}
	e, err := m.Make(w.ctx,
		trigger.Order{Type: c.Type, On: c.On, Members: c.Data.text, Merchant: cmp.Or(c.Merchant, p.merchant),
			MoveClock: c.MoveClock})
	if err != nil {
		return err
	}
	return printEvents(w.stdout, false, *e)
}
