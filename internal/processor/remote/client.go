// Package remote reaches a processor over HTTP: the adapter, and the handler that serves any processor to it. The chaos
// run puts a faulty network between the two. Card numbers cross it in clear, so it is for one machine, and only test
// builds include it.
package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// SettleWindow must exceed processor.CallTimeout: until then a submission may be on its way.
const SettleWindow = 25 * time.Second

// Processor is a processor that is somewhere else.
type Processor struct {
	name, url string
	client    *http.Client
}

var _ processor.Processor = (*Processor)(nil)

// New makes the adapter of the processor that records call by that name. No call takes longer than
// patience.
func New(name, url string, patience time.Duration) *Processor {
	return &Processor{name: name, url: url, client: &http.Client{Timeout: patience}}
}

// ask makes one call. An answer with any other status than 200 tells nothing.
func ask[Out any](ctx context.Context, p *Processor, what string, in any) (out Out, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("remote: %s: %w", what, err)
		}
	}()
	body, err := json.Marshal(in)
	if err != nil {
		return out, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/"+what, bytes.NewReader(body))
	if err != nil {
		return out, err
	}
	resp, err := processor.Send(p.client, r)
	if err != nil {
		return out, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return out, err
	case resp.StatusCode == http.StatusNotFound && what == "lookup":
		return out, processor.ErrNotFound
	case resp.StatusCode != http.StatusOK:
		return out, fmt.Errorf("status %d", resp.StatusCode)
	}
	return out, json.Unmarshal(text, &out)
}

// Name implements processor.Processor.
func (p *Processor) Name() string { return p.name }

// AccountOf implements processor.Processor.
func (p *Processor) AccountOf(applicationID, merchantID int64) string {
	return processor.MerchantAccount(applicationID, merchantID)
}

// Check implements processor.Processor.
func (p *Processor) Check(context.Context, processor.Account, sensitive.Credentials) (processor.Onboarding, error) {
	return processor.OnboardingComplete, nil
}

// SettleWindow implements processor.Processor.
func (p *Processor) SettleWindow() time.Duration { return SettleWindow }

// Terms implements processor.Processor.
func (p *Processor) Terms() processor.Terms { return processor.StandardTerms() }

// Authorize implements processor.Processor.
func (p *Processor) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "authorize", authorization{a, cardOf(a.Card)})
}

// Debit implements processor.Processor.
func (p *Processor) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "debit", debit{d, bankOf(d.Bank)})
}

// Capture implements processor.Processor.
func (p *Processor) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "capture", f)
}

// Void implements processor.Processor.
func (p *Processor) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "void", f)
}

// Refund implements processor.Processor.
func (p *Processor) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "refund", f)
}

// Payout implements processor.Processor.
func (p *Processor) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "payout", payout{out, bankOf(out.Bank)})
}

// Start implements processor.Processor.
func (p *Processor) Start(ctx context.Context, v processor.VerificationRequest) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "start_verification", verification{v, bankOf(v.Bank)})
}

// Confirm implements processor.Processor.
func (p *Processor) Confirm(ctx context.Context, c processor.Confirmation) (processor.Confirmed, error) {
	return ask[processor.Confirmed](ctx, p, "confirm_verification", c)
}

// Respond implements processor.Processor.
func (p *Processor) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "respond", r)
}

// Lookup implements processor.Processor.
func (p *Processor) Lookup(ctx context.Context, account processor.Account, reference string) (processor.Answer, error) {
	return ask[processor.Answer](ctx, p, "lookup", lookedUp{account, reference})
}

// Messages implements processor.Processor.
func (p *Processor) Messages(ctx context.Context, after string, limit int) ([]notice.Message, error) {
	return ask[[]notice.Message](ctx, p, "messages", messagesAfter{after, limit})
}

// Events implements processor.Processor.
func (p *Processor) Events(ctx context.Context, m notice.Message) ([]processor.Event, error) {
	return ask[[]processor.Event](ctx, p, "events", m)
}

// Notice implements processor.Processor.
func (p *Processor) Notice(ctx context.Context, account processor.Account, header http.Header,
	body []byte) ([]notice.Message, error) {
	return ask[[]notice.Message](ctx, p, "notice", noticed{account, header, body})
}

// Book implements processor.Processor.
func (p *Processor) Book(ctx context.Context, after int64, limit int) ([]processor.BookLine, error) {
	return ask[[]processor.BookLine](ctx, p, "book", linesAfter{after, limit})
}

// Profile implements processor.Processor.
func (p *Processor) Profile(ctx context.Context, bin string) (processor.Profile, error) {
	return ask[processor.Profile](ctx, p, "profile", bin)
}

// BankName implements processor.Processor.
func (p *Processor) BankName(ctx context.Context, scheme processor.Scheme, routing string) (string, error) {
	return ask[string](ctx, p, "bank_name", bankNamed{scheme, routing})
}
