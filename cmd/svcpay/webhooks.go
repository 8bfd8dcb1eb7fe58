package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/textproto"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"svcpay/api/client"
	"svcpay/internal/devtools/listen"
	"svcpay/internal/devtools/signature"
)

type webhooksCommand struct {
	Verify verifyWebhookCommand `cmd:"" help:"Verify a delivery's signature, and explain why it doesn't match."`
	Send   sendWebhookCommand   `cmd:"" help:"Sign a body and post it like a webhook."`
}

type verifyWebhookCommand struct {
	access
	Body    document          `arg:"" placeholder:"FILE" help:"File with the body, byte for byte as it arrived; - reads standard input."`
	Headers document          `placeholder:"FILE" help:"The headers as they arrived: lines such as webhook-id: evt_…, or a JSON object, such as request_headers of an attempt."`
	Header  []string          `short:"H" sep:"none" placeholder:"LINE" help:"One header. Repeat for several."`
	Secret  []string          `sep:"none" placeholder:"whsec_…" help:"The endpoint's secret. During a rotation, repeat for both secrets (SVCPAY_WEBHOOK_SECRET)."`
	Other   map[string]string `mapsep:"none" placeholder:"NAME=whsec_…" help:"Another endpoint's or environment's secret, with a name to report if it matches. Repeat for several."`
	At      time.
		Time `placeholder:"TIME" help:"When it arrived, such as 2026-12-01T09:00:00Z (default: now)."`
	Tolerance time.Duration `default:"5m" help:"How far the time of signing may be from --at (${default})."`
}

// Help implements kong.HelpProvider.
func (verifyWebhookCommand) Help() string {
	return "Reports whether another secret signed the body, the body was re-encoded or changed, or the time of signing is too far from now. " +
		"Needs no network; if the API can be reached, the event is read there to compare. " + accessHelp
}

// errNotBelieved ends the command after it has told why.
var errNotBelieved = errors.New("the signature is not valid")

// Run tells the verdict.
func (c verifyWebhookCommand) Run(w *world) error {
	secrets := c.Secret
	if s := lookup(w.env, secretSetting); len(secrets) == 0 && s != "" {
		secrets = []string{s}
	}
	if len(secrets) == 0 {
		return fmt.Errorf("give the endpoint's secret: --secret, or %s", secretSetting)
	}
	header, err := c.headers()
	if err != nil {
		return err
	}
	d := signature.Delivery{Header: header, Body: c.Body.text}
	e := signature.Expected{Secrets: secrets, Now: c.At, Tolerance: c.Tolerance}
	if e.Now.IsZero() {
		e.Now = machineTime()
	}
	for _, name := range slices.Sorted(maps.Keys(c.Other)) {
		e.Others = append(e.Others, signature.Other{Name: name, Secret: c.Other[name]})
	}
	if err := c.asApplication(w, d, &e); err != nil {
		return err
	}
	return tell(w, d, signature.Diagnose(d, e))
}

// asApplication adds what is known of the application that the caller works as, if that is one.
func (c verifyWebhookCommand) asApplication(w *world, d signature.Delivery, e *signature.Expected) error {
	p, err := c.open(w, client.WithRetries(0))
	if errors.Is(err, errNoAccess) {
		return nil
	}
	if err != nil {
		return err
	}
	own, ok, err := listen.KeptSecret(filepath.Join(p.stateDir, listenDir),
		listen.Target{BaseURL: p.url, ApplicationID: p.app})
	if err == nil && ok && !slices.Contains(e.Secrets, own.Text()) {
		e.Others = append(e.Others, signature.Other{Name: "svcpay listen", Secret: own.Text()})
	}
	v := signature.Diagnose(d, *e)
	if id := d.Header.Get(signature.HeaderID); v.Secret == 0 && strings.HasPrefix(id, "evt_") {
		e.Original, err = p.original(w.ctx, id)
		if err != nil {
			fmt.Fprintf(w.stderr, "svcpay: the event could not be compared with the API's: %v\n", err)
		}
	}
	return nil
}

// original is an event as the API tells it.
func (p *partner) original(ctx context.Context, id string) ([]byte, error) {
	var answer client.Response
	e, err := p.Client.Events.Get(ctx, id, client.ResponseTo(&answer))
	if err != nil {
		return nil, err
	}
	if e.APIVersion != client.Version {
		return nil, fmt.Errorf("it was sent in version %s of the API", e.APIVersion)
	}
	return answer.Body, nil
}

// tell prints a verdict.
func tell(w *world, d signature.Delivery, v signature.Verdict) error {
	if len(v.Mistakes) == 0 {
		_, err := fmt.Fprintf(w.stdout, "Signature valid: secret %d signed %s %s ago.\n", v.Secret,
			d.Header.Get(signature.HeaderID), v.Age)
		return err
	}
	for _, m := range v.Mistakes {
		fmt.Fprintf(w.stdout, "%s: %s\n", m.Kind, m.Text)
	}
	return errNotBelieved
}

// headers reads the headers that were given.
func (c verifyWebhookCommand) headers() (http.Header, error) {
	h := http.Header{}
	var object map[string]string
	if err := json.Unmarshal(c.Headers.text, &object); err == nil {
		for name, value := range object {
			h.Set(name, value)
		}
		return h, c.lines(h, nil)
	}
	return h, c.lines(h, c.Headers.text)
}

// lines adds headers that are written one a line, until an empty one; what else is between them is passed over.
func (c verifyWebhookCommand) lines(h http.Header, text []byte) error {
	all := slices.Clone(c.Header)
	for s := bufio.NewScanner(bytes.NewReader(text)); s.Scan() && strings.TrimSpace(s.Text()) != ""; {
		all = append(all, strings.TrimLeft(s.Text(), "<> "))
	}
	for i, line := range all {
		name, value, ok := strings.Cut(line, ":")
		if !ok && i < len(c.Header) {
			return fmt.Errorf("--header: not a name and a value: %q", line)
		}
		h.Set(textproto.TrimString(name), textproto.TrimString(value))
	}
	return nil
}

type sendWebhookCommand struct {
	access
	URL    string    `arg:"" name:"url" help:"Where it is posted."`
	Secret string    `placeholder:"whsec_…" help:"The secret to sign with (SVCPAY_WEBHOOK_SECRET)."`
	Body   document  `placeholder:"FILE" xor:"what" help:"The body, sent byte for byte; - reads standard input."`
	Event  string    `placeholder:"ID" xor:"what" help:"The id of an event to send instead of a body."`
	ID     string    `name:"id" placeholder:"ID" help:"The header webhook-id (default: the event's id)."`
	At     time.Time `placeholder:"TIME" help:"The time of signing in the header (default: now)."`
}

// Help implements kong.HelpProvider.
func (sendWebhookCommand) Help() string {
	return "Prints the signature's headers, which svcpay webhooks verify reads, and the receiver's response. Only --event needs the API. " + accessHelp
}

// Run sends it.
func (c sendWebhookCommand) Run(w *world) error {
	secret, err := signature.SecretOf(cmp.Or(c.Secret, lookup(w.env, secretSetting)))
	if err != nil {
		return fmt.Errorf("--secret: %w", err)
	}
	if err := listen.CheckURL(c.URL); err != nil {
		return err
	}
	body, err := c.content(w)
	if err != nil {
		return err
	}
	if c.At.IsZero() {
		c.At = machineTime()
	}
	header, err := secret.Sign(cmp.Or(c.ID, ownID(body)), c.At, body)
	if err != nil {
		return err
	}
	for _, name := range []string{signature.HeaderID, signature.HeaderTimestamp, signature.HeaderSignature} {
		fmt.Fprintf(w.stdout, "%s: %s\n", name, header.Get(name))
	}
	a, err := listen.NewSender(machineTime, nil).Post(w.ctx, c.URL, header, body)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "\n%s  %d ms\n%s", a.Reason, a.Took.Milliseconds(), a.Body)
	if !a.Taken() {
		return fmt.Errorf("%s did not take it", c.URL)
	}
	return nil
}

// content is what is sent.
func (c sendWebhookCommand) content(w *world) ([]byte, error) {
	switch {
	case c.Body.text != nil:
		return c.Body.text, nil
	case c.Event == "":
		return nil, errors.New("give --body or --event")
	}
	p, err := c.open(w)
	if err != nil {
		return nil, err
	}
	return p.original(w.ctx, c.Event)
}

// ownID is what a body says that it is; msg_0 if it does not.
func ownID(body []byte) string {
	var e struct{ ID any }
	if err := json.Unmarshal(body, &e); err != nil || e.ID == nil {
		return "msg_0"
	}
	return fmt.Sprint(e.ID)
}
