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
	On        string   `placeholder:"ID" help:"The object of the event (default: a new one)."`
	Data      document `placeholder:"FILE" help:"JSON object with members for the object that is made, such as {\"amount\": 700}; - reads standard input."`
	Merchant  int64    `placeholder:"N" help:"The merchant that objects are made for (default: the application's first active one)."`
	MoveClock bool     `help:"Allow the command to move the application's clock ahead if the event takes time. The clock can't move back."`
}

// Help implements kong.HelpProvider.
func (triggerCommand) Help() string {
	var b strings.Builder
	b.WriteString(
		"Triggers an event in a sandbox by doing what causes it, and prints it once it is in the log. " +
			"--on takes the id of an object of the listed kind, and --data members of the object to create. " + accessHelp + "\n")
	for _, t := range event.Types() {
		var notes []string
		switch on := trigger.On(t.Name); {
		case trigger.Why(t.Name) != "":
			notes = append(notes, "not available: "+trigger.Why(t.Name))
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
	return printEvents(w.stdout, "", *e)
}
