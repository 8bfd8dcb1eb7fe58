package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/refund"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

var refundResource = resource{
	expands: map[string][]string{"Refund": {"merchant", "charge"}},
	shapes: map[string]any{
		"Refund": refund.Refund{}, "RefundList": list{}, "CreateRefund": refund.CreateInput{},
		"CancelRefund": nothing{}, "Refund.failure": refund.Failure{}, "Refund.processor": charge.ProcessorRef{},
		"Refund.initiated_by": refund.InitiatedBy{},
	},
	enums: map[string][]string{"RefundStatus": refund.Statuses(),
		"Refund.pending_reason": {string(refund.ChargePending)}},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/refunds/:id": func(t *testing.T, s *site) string {
			id := chargeResource.theirs["/api/charges/:id"](t, s)
			body := fmt.Sprintf(`{"charge_id":%q}`, id)
			return s.send(t, call{method: http.MethodPost, path: "/api/refunds", as: &s.Other, body: body}).refund(
				t).ID.String()
		},
	},
}

func (a answer) refund(t testing.TB) refund.Refund {
	t.Helper()
	var r refund.Refund
	if err := json.Unmarshal(a.body, &r); err != nil || a.status >= 300 {
		t.Fatalf("no refund but %d %s", a.status, a.body)
	}
	return r
}

// refund asks for a refund of a charge; more are further members.
func (s *site) refund(t testing.TB, c charge.Charge, more string, headers ...string) answer {
	t.Helper()
	in := call{method: http.MethodPost, path: "/api/refunds", body: fmt.Sprintf(`{"charge_id":%q%s}`, c.ID, more)}
	for i := 0; i < len(headers); i += 2 {
		in = in.header1(headers[i], headers[i+1])
	}
	return s.send(t, in)
}

func (s *site) cancel(t testing.TB, r refund.Refund, headers ...string) answer {
	t.Helper()
	in := call{method: http.MethodPost, path: "/api/refunds/" + r.ID.String() + "/cancel"}
	for i := 0; i < len(headers); i += 2 {
		in = in.header1(headers[i], headers[i+1])
	}
	return s.send(t, in)
}

// debited makes a bank debit that has not settled.
func (s *site) debited(t testing.TB) charge.Charge {
	t.Helper()
	bank, err := s.Tokens.CreateBank(t.Context(), s.Session(), ids.NewRequest(s.Clock.Now()).String(), token.BankInput{
		Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber("000123456789"),
		AccountType: "checking",
		Billing:     s.Card(good).Billing, Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion,
			IP: "192.0.2.1", UserAgent: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s.post(t, s.body(bank.Token.String())).charge(t)
}

func TestRefundsOfACard(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	more := `,"amount":4000,"reason":"requested_by_payer","note":"Ticket returned","external_id":"refund-1","metadata":{"desk":"4"}`
	a := s.refund(t, c, more, "Idempotency-Key", "k").want(t, 201, "")
	r := a.refund(t)
	if r.Status != refund.Succeeded || r.Amount != 4_000 || *r.Note != "Ticket returned" ||
		r.InitiatedBy.KeyName != "Demo server" || r.ChargeID != c.ID {
		t.Errorf("the refund is %s", a.body)
	}
	read := s.get(t, a.header.Get("Location")).want(t, 200, "")
	if !bytes.Equal(read.body, a.body) || read.header.Get("ETag") != `"2"` || a.header.Get("ETag") != `"2"` {
		t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
	}
	again := s.refund(t, c, more, "Idempotency-Key", "k").want(t, 201, "")
	if !again.replayed() || !bytes.Equal(again.body, a.body) ||
		again.header.Get("Location") != a.header.Get("Location") {
		t.Errorf("first\n%s\nthen\n%s", a.body, again.body)
	}
	if rest := s.refund(t, c, ``).want(t, 201, "").refund(t); rest.Amount != 8_500 || rest.Status != refund.Succeeded {
		t.Errorf("the rest is %+v", rest)
	}
	if now := s.get(t, "/api/charges/"+c.ID.String()).charge(t); now.AmountRefunded != 12_500 ||
		now.AmountRefundable != 0 || now.Status != charge.Captured {
		t.Errorf("the charge is %+v", now)
	}
}

func TestRefundsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	held := s.post(t, s.body(s.Token(good), "capture", "false")).charge(t)
	first := s.refund(t, c, `,"amount":2500,"external_id":"taken"`).refund(t)
	absent := charge.Charge{ID: ids.NewCharge(s.Clock.Now())}
	theirs, _ := ids.ParseCharge(chargeResource.theirs["/api/charges/:id"](t, s))
	before := s.rows(t)
	for _, tt := range []struct {
		name   string
		of     charge.Charge
		more   string
		status int
		code   string
		param  string
		detail string
	}{
		{"zero", c, `,"amount":0`, 400, "amount_too_small", "amount", ""},
		{"huge", c, `,"amount":100000000`, 400, "amount_too_large", "amount", ""},
		{"decimal", c, `,"amount":10.5`, 400, "amount_not_integer", "amount", ""},
		{"reason", c, `,"reason":"` + marker + `"`, 400, "parameter_invalid", "reason", ""},
		{"several", c, `,"amount":0,"note":""`, 400, "validation_failed", "amount", ""},
		{"more than is left", c, `,"amount":10001`, 422, "refund_exceeds_remaining", "amount", `"remaining":10000`},
		{"authorized", held, "", 409, "charge_not_refundable", "charge_id", `"status":"authorized"`},
		{"external id", c, `,"amount":1,"external_id":"taken"`, 409, "external_id_taken", "external_id", `"refund_id":"` + first.ID.String() + `"`},
		{"unknown charge", absent, "", 404, "resource_missing", "charge_id", ""},
		{"another application's charge", charge.Charge{ID: theirs}, "", 404, "resource_missing", "charge_id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := s.refund(t, tt.of, tt.more, "Idempotency-Key", "one-for-all").want(t, tt.status, tt.code)
			if a.error().Param != tt.param || !strings.Contains(string(a.body), tt.detail) {
				t.Errorf("told as %s", a.body)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestRefundsOfWhatIsDisputed(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	m, err := s.Clocks.Moment(t.Context(), s.App.AppID)
	if err != nil {
		t.Fatal(err)
	}
	err = pg.InTx(t.Context(), s.Pool, func(tx *pg.Tx) error {
		l, err := s.Charges.LockTx(t.Context(), tx, s.App.AppID, c.ID)
		if err != nil {
			return err
		}
		_, err = s.Charges.ChangeTx(tx, m, l,
			charge.Change{Disputed: c.Amount, Event: "charge.updated", Source: outbox.Job})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if e := s.refund(t, c, "").want(t, 409, "charge_disputed").error(); e.Param != "charge_id" {
		t.Errorf("told of %q", e.Param)
	}
}

func TestRefundsThatWait(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.debited(t)
	a := s.refund(t, c, `,"amount":500`, "Idempotency-Key", "k").want(t, 201, "")
	r := a.refund(t)
	if r.Status != refund.Pending || r.PendingReason == nil || *r.PendingReason != refund.ChargePending {
		t.Errorf("the refund is %s", a.body)
	}
	if again := s.refund(t, c, `,"amount":500`, "Idempotency-Key", "k").want(t, 201, ""); !again.replayed() ||
		!bytes.Equal(again.body, a.body) {
		t.Errorf("first\n%s\nthen\n%s", a.body, again.body)
	}
	canceled := s.cancel(t, r, "Idempotency-Key", "c").want(t, 200, "")
	if canceled.refund(t).Status != refund.Canceled || canceled.header.Get("ETag") != `"2"` {
		t.Errorf("canceled as %s", canceled.body)
	}
	if again := s.cancel(t, r, "Idempotency-Key", "c").want(t, 200, ""); !again.replayed() ||
		!bytes.Equal(again.body, canceled.body) {
		t.Errorf("first\n%s\nthen\n%s", canceled.body, again.body)
	}
	s.refund(t, c, `,"amount":501`, "Idempotency-Key", "k").want(t, 422, "idempotency_key_reused")
	s.cancel(t, r, "Idempotency-Key", "k").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key IN ('k', 'c')`, pg.Args{})
	s.refund(t, c, `,"amount":500`, "Idempotency-Key", "k").want(t, 409, "idempotency_key_in_use")
	s.cancel(t, r, "Idempotency-Key", "c").want(t, 409, "idempotency_key_in_use")
	if twice := s.cancel(t, r).want(t, 409, "refund_not_cancelable"); !bytes.Contains(twice.body,
		[]byte(`"status":"canceled"`)) {
		t.Errorf("told as %s", twice.body)
	}
	card := s.post(t, s.body(s.Token(good))).charge(t)
	s.cancel(t, s.refund(t, card, "").refund(t)).want(t, 409, "refund_not_cancelable")
}

func TestListsOfRefunds(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, bank := s.post(t, s.body(s.Token(good))).charge(t), s.debited(t)
	s.Clock.Advance(time.Second)
	first := s.refund(t, c,
		`,"amount":1,"external_id":"one","reason":"duplicate","metadata":{"desk":"4","by":"Ann Lee"}`).refund(t)
	s.Clock.Advance(time.Second)
	second := s.refund(t, bank, `,"amount":2`).refund(t)
	for query, want := range map[string][]refund.Refund{
		"":                                      {second, first},
		"?order=asc&limit=1":                    {first},
		"?charge_id=" + c.ID.String():           {first},
		"?status=pending,failed":                {second},
		"?status=canceled":                      {},
		"?external_id=one":                      {first},
		"?starting_after=" + second.ID.String(): {first},
		"?created_at[gte]=" + second.CreatedAt.Format(time.RFC3339Nano): {second},
		fmt.Sprintf("?merchant_id=%d", s.App.Merchants.CA):              {},
		"?amount=2": {second}, "?amount[lt]=2": {first}, "?amount[gte]=1&amount[lte]=2": {second, first},
		"?currency=usd": {second, first}, "?currency=cad": {},
		"?reason=duplicate,fraudulent": {first}, "?reason=other": {}, "?metadata[desk]=4": {first},
		"?metadata[desk]=4&metadata[by]=Ann+Lee": {first},
		"?metadata[desk]=4&metadata[by]=Ann":     {}, "?metadata[desk]=": {},
	} {
		var page struct{ Data []refund.Refund }
		a := s.get(t, "/api/refunds"+query).want(t, 200, "")
		if err := json.Unmarshal(a.body, &page); err != nil || len(page.Data) != len(want) {
			t.Errorf("%s: %s", query, a.body)
			continue
		}
		for i, r := range page.Data {
			if r.ID != want[i].ID {
				t.Errorf("%s: %s", query, a.body)
			}
		}
	}
	s.get(t, "/api/refunds?charge_id="+marker).want(t, 400, "parameter_invalid")
	s.get(t, "/api/refunds?status="+marker).want(t, 400, "parameter_invalid")
	s.get(t, "/api/refunds?reason="+marker).want(t, 400, "parameter_invalid")
	s.get(t, "/api/refunds?metadata="+marker).want(t, 400, "parameter_invalid")
	s.get(t, "/api/refunds?amount=1&amount[gt]=1").want(t, 400, "parameters_exclusive")
}

// refunds is the sandbox processor with refunds of a test's own.
type refunds struct {
	*sandbox.Processor
	play func(context.Context, processor.FollowUp) (processor.Answer, error)
}

func (p *refunds) Refund(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, f)
}

func TestOutcomesOfRefunds(t *testing.T) {
	t.Parallel()
	p := &refunds{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	s := serve(t, w, configOf(w), time.Minute)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	p.play = func(context.Context, processor.FollowUp) (processor.Answer, error) {
		return processor.Answer{DeclineCode: "generic_decline"}, nil
	}
	failed := s.refund(t, c, "").want(t, 201, "").refund(t)
	if failed.Status != refund.Failed || failed.Failure.Code != "refund_declined" {
		t.Errorf("the refund is %+v", failed)
	}
	p.play = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		_, err := p.Processor.Refund(ctx, f)
		return processor.Answer{}, errors.Join(err, errors.New("the answer was lost"))
	}
	sent := s.refund(t, c, "", "Idempotency-Key", "k").want(t, 202, "")
	if r := sent.refund(t); r.Status != refund.Pending || r.PendingReason != nil {
		t.Errorf("the refund is %s", sent.body)
	}
	if again := s.refund(t, c, "", "Idempotency-Key", "k").want(t, 202, ""); !again.replayed() ||
		!bytes.Equal(again.body, sent.body) {
		t.Errorf("first\n%s\nthen\n%s", sent.body, again.body)
	}
	s.cancel(t, sent.refund(t)).want(t, 409, "refund_not_cancelable")
	s.Clock.Advance(time.Second)
	if _, err := s.Operations.Resolve(t.Context()); err != nil {
		t.Fatal(err)
	}
	known := s.refund(t, c, "", "Idempotency-Key", "k").want(t, 201, "")
	if r := known.refund(t); r.Status != refund.Succeeded || !known.replayed() {
		t.Errorf("in the end %s", known.body)
	}
}
