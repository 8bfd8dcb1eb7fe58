package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"svcpay/api/client"
)

type eventsCommand struct {
	List   listEventsCommand   `cmd:"" help:"List events: the newest first, or those after a given one."`
	Get    getEventCommand     `cmd:"" help:"Print an event as JSON, as webhooks deliver it."`
	Resend resendEventCommand  `cmd:"" help:"Resend an event to webhook endpoints."`
	Replay replayEventsCommand `cmd:"" help:"Replay past events to a webhook endpoint, and print the progress."`
}

type listEventsCommand struct {
	access
	Events []string `placeholder:"TYPE" help:"Only events of this type, such as charge.captured or refund.*. Separate several with commas, or repeat the flag."`
	On     string   `placeholder:"ID" help:"Only events of this object."`
	After  *int64   `placeholder:"SEQUENCE" help:"List the events after this sequence, oldest first; 0 is the beginning of the log."`
	Limit  int      `default:"20" help:"Maximum number of events, up to 100 (${default})."`
	JSON   bool     `name:"json" help:"Print JSON, one event per line."`
}

// Run prints the events.
func (c listEventsCommand) Run(w *world) error {
	p, err := c.open(w)
	if err != nil {
		return err
	}
	var answer client.Response
	page, err := p.Client.Events.ListPage(w.ctx,
		client.ListEventsParams{Limit: &c.Limit, Type: c.Events, ObjectID: c.On, AfterSequence: c.After},
		client.ResponseTo(&answer))
	if err != nil {
		return err
	}
	if !c.JSON {
		return printEvents(w.stdout, "SEQUENCE\tTIME\tTYPE\tEVENT\tOBJECT", page.Data...)
	}
	texts, err := textsOf(answer.Body)
	for _, text := range texts {
		fmt.Fprintf(w.stdout, "%s\n", text)
	}
	return err
}

// printEvents prints a line for each event.
func printEvents(to io.Writer, titles string, events ...client.Event) error {
	t := newTable(to, titles)
	for _, e := range events {
		sequence := "-" // of a test event
		if e.Sequence != nil {
			sequence = fmt.Sprint("#", *e.Sequence)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", sequence, e.Timestamp.UTC().Format(time.RFC3339), e.Type, e.ID,
			objectOf(e))
	}
	return t.Flush()
}

type getEventCommand struct {
	access
	Event string `arg:"" help:"The event's id, evt_…"`
	Raw   bool   `help:"Print it on one line, byte for byte as the API returns it."`
}

// Run prints the event.
func (c getEventCommand) Run(w *world) error {
	p, err := c.open(w)
	if err != nil {
		return err
	}
	var answer client.Response
	if _, err := p.Client.Events.Get(w.ctx, c.Event, client.ResponseTo(&answer)); err != nil {
		return err
	}
	if c.Raw {
		_, err = w.stdout.Write(answer.Body)
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, bytes.TrimSpace(answer.Body), "", "  "); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w.stdout, out.String())
	return err
}

type resendEventCommand struct {
	access
	Event    string `arg:"" help:"The event's id, evt_…"`
	Endpoint string `placeholder:"ID" help:"Send it only to this endpoint, even if not subscribed (default: all enabled endpoints that are subscribed)."`
}

// Help implements kong.HelpProvider.
func (resendEventCommand) Help() string {
	return "The event keeps its id, so receivers can detect the duplicate. " + accessHelp
}

// Run has the event sent.
func (c resendEventCommand) Run(w *world) error {
	p, err := c.open(w)
	if err != nil {
		return err
	}
	var body client.RedeliverEvent
	if c.Endpoint != "" {
		body.EndpointID = &c.Endpoint
	}
	sent, err := p.Client.Events.Redeliver(w.ctx, c.Event, body)
	if err != nil {
		return err
	}
	if len(sent.Endpoints) == 0 {
		fmt.Fprintln(w.stdout, "No enabled endpoint wants it.")
	}
	for _, e := range sent.Endpoints {
		fmt.Fprintf(w.stdout, "%s is on its way to %s.\n", c.Event, e)
	}
	return nil
}

type replayEventsCommand struct {
	access
	Endpoint string `arg:"" help:"The endpoint's id, whe_…"`
	Since    time.
			Time `required:"" placeholder:"TIME" help:"Replay events from this time on, such as 2026-12-01T00:00:00Z, by the application's clock."`
	Until  time.Time `placeholder:"TIME" help:"Replay events until this time (default: now)."`
	Failed bool      `help:"Only events that the endpoint did not accept. This is known for 28 days."`
}

// Help implements kong.HelpProvider.
func (replayEventsCommand) Help() string {
	return "Ctrl-C stops the progress display, not the replay. " + accessHelp
}

// replayPace is how often a replay is asked how far it is.
const replayPace = 300 * time.Millisecond

// Run starts the replay and says how far it is until it has ended.
func (c replayEventsCommand) Run(w *world) error {
	p, err := c.open(w)
	if err != nil {
		return err
	}
	in := client.ReplayWebhookEndpoint{Since: c.Since}
	if !c.Until.IsZero() {
		in.Until = &c.Until
	}
	if c.Failed {
		in.Which = new(client.WebhookReplayWhichFailed)
	}
	r, err := p.WebhookEndpoints.Replay(w.ctx, c.Endpoint, in)
	for told := int64(-1); err == nil &&
		r.Status == client.WebhookReplayStatusRunning; r, err = p.WebhookReplays.Get(w.ctx, r.ID) {
		if r.Done != told {
			fmt.Fprintf(w.stderr, "%d of %d\n", r.Done, r.Total)
			told = r.Done
		}
		select {
		case <-w.ctx.Done():
			return w.ctx.Err()
		case <-time.After(replayPace):
		}
	}
	if err == nil {
		_, err = fmt.Fprintf(w.stdout, "Replay %s is %s: %d of %d events were looked at, %d are sent.\n", r.ID,
			r.Status, r.Done, r.Total, r.Queued)
	}
	return err
}
