package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tidwall/gjson"

	"svcpay/api/client"
	"svcpay/internal/devtools/listen"
	"svcpay/internal/event"
	"svcpay/internal/platform/localpg"
)

type listenCommand struct {
	access
	ForwardTo   string   `placeholder:"URL" help:"Where events are posted, such as http://localhost:3000/webhooks."`
	Events      []string `placeholder:"TYPE" help:"Only events of this type, such as charge.captured or refund.*. Separate several with commas, or repeat the flag."`
	After       *int64   `placeholder:"SEQUENCE" help:"Begin after the event with this sequence; 0 is the beginning of the log. Default: continue where the last run stopped. The first run begins with new events."`
	Attempts    int      `placeholder:"N" help:"Skip an event after this many failed attempts. Default: retry until the program accepts it."`
	StateDir    string   `placeholder:"DIR" help:"Directory for the position in the log and the secret (default: listen in the state directory of svcpay dev)."`
	PrintSecret bool     `help:"Print the signing secret, and do nothing else."`
}

// Help implements kong.HelpProvider.
func (listenCommand) Help() string {
	return "Forwards an application's events to a program on this machine, as webhooks. It reads them through the API, so your machine needs no " +
		"public address. They are signed with a separate secret, which stays the same. They arrive one by one, in the order of their sequences. " +
		"The command retries an event until the program accepts it, then posts the next one. After a restart, it resumes with " +
		"the first event that it missed.\n\n" + accessHelp
}

// listenDir is where listen keeps things, in the state directory.
const listenDir = "listen"

// listenWait is for how many seconds the API is asked to wait for an event.
const listenWait = 20

// Run forwards events until a signal comes.
func (l listenCommand) Run(w *world) error {
	p, err := l.open(w, client.WithRetries(0)) // anyone who follows the log asks again
	if err != nil {
		return err
	}
	dir, err := l.keeps(p)
	if err != nil {
		return err
	}
	to := listen.Target{BaseURL: p.url, ApplicationID: p.app, ForwardTo: l.ForwardTo}
	if l.PrintSecret {
		secret, err := listen.Secret(dir, to)
		if err == nil {
			_, err = fmt.Fprintln(w.stdout, secret.Text())
		}
		return err
	}
	if err := l.check(); err != nil {
		return err
	}
	place, err := listen.Open(dir, to)
	if err != nil {
		return err
	}
	return errors.Join(l.follow(w, p, dir, to, place), place.Close())
}

// keeps is the directory of what is remembered. The state directory that it is in on its own is made as svcpay dev
// makes it, which comes to use it, perhaps later.
func (l listenCommand) keeps(p *partner) (string, error) {
	if l.StateDir != "" {
		return l.StateDir, nil
	}
	state, err := localpg.MakeDir(p.stateDir)
	if err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	return filepath.Join(state, listenDir), nil
}

// check tells every mistake in the flags.
func (l listenCommand) check() error {
	var mistakes []error
	if err := listen.CheckURL(l.ForwardTo); err != nil {
		mistakes = append(mistakes, fmt.Errorf("--forward-to: %w", err))
	}
	for _, filter := range l.Events {
		if !event.IsFilter(filter) {
			mistakes = append(mistakes,
				fmt.Errorf("--events: %s covers no event; svcpay trigger --help lists them", filter))
		}
	}
	if l.Attempts < 0 {
		mistakes = append(mistakes, errors.New("--attempts: at least 1"))
	}
	return errors.Join(mistakes...)
}

func (l listenCommand) follow(w *world, p *partner, dir string, to listen.Target, place *listen.Place) error {
	secret, err := listen.Secret(dir, to)
	if err != nil {
		return err
	}
	newest, err := p.newest(w.ctx)
	if err != nil {
		return err
	}
	r := &listen.Relay{Place: place, Sender: listen.NewSender(machineTime, nil), Secret: secret, Read: p.after,
		Final:  final,
		Wanted: l.Events, Refusals: l.Attempts, Out: w.stdout, Err: w.stderr}
	if err := r.Begin(newest, l.After); err != nil {
		return fmt.Errorf("--after: %w", err)
	}
	after, _ := place.After()
	fmt.Fprintf(w.stdout,
		"Forwarding events of application %d at %s to %s, from #%d on (there are %d).\nSigning secret: %s\n", p.app,
		p.url, l.ForwardTo, after+1, newest, secret.Text())
	err = r.Follow(w.ctx)
	after, _ = place.After()
	fmt.Fprintf(w.stdout, "Stopped after #%d.\n", after)
	return err
}

// newest is the sequence of the last event there is; 0 if there is none.
func (p *partner) newest(ctx context.Context) (int64, error) {
	page, err := p.Client.Events.ListPage(ctx, client.ListEventsParams{Limit: new(1)})
	if err != nil || len(page.Data) == 0 || page.Data[0].Sequence == nil {
		return 0, err
	}
	return *page.Data[0].Sequence, nil
}

// after reads events in their order, and waits a while for the first.
func (p *partner) after(ctx context.Context, sequence int64) ([]listen.Event, error) {
	wait := listenWait
	var answer client.Response
	page, err := p.Client.Events.ListPage(ctx,
		client.ListEventsParams{Limit: new(100), AfterSequence: &sequence, Wait: &wait}, client.ResponseTo(&answer))
	if err != nil {
		return nil, err
	}
	texts, err := textsOf(answer.Body)
	if err != nil {
		return nil, err
	}
	out := make([]listen.Event, len(page.Data))
	for i, e := range page.Data {
		out[i] = listen.Event{Sequence: *e.Sequence, ID: e.ID, Type: string(e.Type), Object: objectOf(e),
			Body: texts[i]}
	}
	return out, nil
}

// textsOf are the objects of a list as they came.
func textsOf(list []byte) ([]json.RawMessage, error) {
	var page struct{ Data []json.RawMessage }
	err := json.Unmarshal(list, &page)
	return page.Data, err
}

// objectOf is the id of what an event is about; - if it has none.
func objectOf(e client.Event) string {
	return cmp.Or(gjson.GetBytes(e.Data.Object, "id").String(), "-")
}
