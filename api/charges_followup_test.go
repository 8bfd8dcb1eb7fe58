package api

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// follow asks for a capture or a void of a charge; headers are pairs.
func (s *site) follow(t testing.TB, what string, c charge.Charge, body string, headers ...string) answer {
	t.Helper()
	in := call{method: http.MethodPost, path: "/api/charges/" + c.ID.String() + "/" + what, body: body}
	for i := 0; i < len(headers); i += 2 {
		in = in.header1(headers[i], headers[i+1])
	}
	return s.send(t, in)
}

// authorized makes an authorization of 12500 that is not captured.
func (s *site) authorized(t testing.TB, number string) charge.Charge {
	t.Helper()
	return s.post(t, s.body(s.Token(number), "capture", "false")).charge(t)
}

func TestCapturesAndVoids(t *testing.T) {
	t.Parallel()
	s := open(t)
	for _, tt := range []struct {
		what, body string
		captured   int64
		status     charge.Status
	}{
		{"capture", "", 12_500, charge.Captured},
		{"capture", `{"amount":4000}`, 4_000, charge.Captured},
		{"capture", `{"amount":12500}`, 12_500, charge.Captured},
		{"void", "", 0, charge.Voided},
		{"void", `{"reason":"The event was canceled"}`, 0, charge.Voided},
	} {
		c := s.authorized(t, good)
		key := tt.what + tt.body
		a := s.follow(t, tt.what, c, tt.body, "Idempotency-Key", "k"+strings.ReplaceAll(key, " ", "")).want(t, 200, "")
		got := a.charge(t)
		if got.Status != tt.status || int64(got.AmountCaptured) != tt.captured || a.header.Get("ETag") != `"3"` {
			t.Errorf("%s %s: %s", tt.what, tt.body, a.body)
		}
		if told := got.VoidReason != nil &&
			*got.VoidReason == "The event was canceled"; told != strings.Contains(tt.body, "reason") {
			t.Errorf("%s %s: the reason is %v", tt.what, tt.body, got.VoidReason)
		}
		if read := s.get(t, "/api/charges/"+c.ID.String()).want(t, 200, ""); !bytes.Equal(read.body, a.body) {
			t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
		}
		again := s.follow(t, tt.what, c, tt.body, "Idempotency-Key", "k"+strings.ReplaceAll(key, " ", "")).want(t, 200,
			"")
		if !again.replayed() || !bytes.Equal(again.body, a.body) || again.header.Get("ETag") != `"3"` {
			t.Errorf("first\n%s\nthen\n%s", a.body, again.body)
		}
	}
}

func TestFollowUpsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	one, hold := s.post(t, s.body(s.Token(good))).charge(t), s.authorized(t, good)
	debit := s.debited(t)
	absent := charge.Charge{ID: ids.NewCharge(s.Clock.Now())}
	long := `{"reason":"` + marker + strings.Repeat("x", 255) + `"}`
	before := s.rows(t)
	refused := func(name, what string, c charge.Charge, body string, status int, code, param, detail string) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			a := s.follow(t, what, c, body, "Idempotency-Key", "one-for-all").want(t, status, code)
			if a.error().Param != param || !strings.Contains(string(a.body), detail) {
				t.Errorf("told as %s", a.body)
			}
		})
	}
	refused("zero", "capture", hold, `{"amount":0}`, 400, "amount_too_small", "amount", "")
	refused("huge", "capture", hold, `{"amount":100000000}`, 400, "amount_too_large", "amount", "")
	refused("decimal", "capture", hold, `{"amount":1.5}`, 400, "amount_not_integer", "amount", "")
	refused("empty reason", "void", hold, `{"reason":""}`, 400, "parameter_invalid", "reason", "")
	refused("long reason", "void", hold, long, 400, "parameter_invalid", "reason", "")
	refused("more than held", "capture", hold, `{"amount":12501}`, 422, "capture_exceeds_authorized", "amount", "")
	refused("captured", "capture", one, "", 409, "charge_not_capturable", "", `"status":"captured"`)
	refused("captured, void", "void", one, "", 409, "charge_not_voidable", "", `"status":"captured"`)
	refused("debit", "capture", debit, "", 409, "charge_not_capturable", "", `"status":"pending"`)
	refused("unknown charge", "void", absent, "", 404, "resource_missing", "", "")
	s.Clock.Advance(7 * 24 * time.Hour)
	refused("expired", "capture", hold, "", 422, "authorization_expired", "", `"charge_id":"`+hold.ID.String()+`"`)
	refused("debit at the bank", "void", debit, "", 409, "charge_not_voidable", "", `"status":"pending"`)
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func TestDebitIsVoidedBeforeItsBatch(t *testing.T) {
	t.Parallel()
	s := open(t)
	if c := s.follow(t, "void", s.debited(t), "").want(t, 200, "").charge(t); c.Status != charge.Voided ||
		c.AmountCaptured != 0 {
		t.Errorf("the charge is %+v", c)
	}
}

func TestKeysOfFollowUps(t *testing.T) {
	t.Parallel()
	s := open(t)
	c, other := s.authorized(t, good), s.authorized(t, good)
	s.follow(t, "capture", c, `{"amount":500}`, "Idempotency-Key", "c").want(t, 200, "")
	s.follow(t, "void", other, `{"reason":"a"}`, "Idempotency-Key", "v").want(t, 200, "")
	s.follow(t, "capture", c, `{"amount":501}`, "Idempotency-Key", "c").want(t, 422, "idempotency_key_reused")
	s.follow(t, "capture", other, `{"amount":500}`, "Idempotency-Key", "c").want(t, 422, "idempotency_key_reused")
	s.follow(t, "void", other, `{"reason":"b"}`, "Idempotency-Key", "v").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key IN ('c', 'v')`, pg.Args{})
	s.follow(t, "capture", c, `{"amount":500}`, "Idempotency-Key", "c").want(t, 409, "idempotency_key_in_use")
	s.follow(t, "void", other, `{"reason":"a"}`, "Idempotency-Key", "v").want(t, 409, "idempotency_key_in_use")
}

func TestCaptureThatTimesOut(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.authorized(t, "4000000000005431")
	first := s.follow(t, "capture", c, "", "Idempotency-Key", "k").want(t, 202, "")
	if got := first.charge(t); got.Status != charge.Authorized || first.header.Get("ETag") != `"2"` {
		t.Errorf("meanwhile the charge is %s", first.body)
	}
	for _, what := range []string{"capture", "void"} {
		busy := s.follow(t, what, c, "").want(t, 409, "operation_in_progress")
		if busy.header.Get("Retry-After") != "1" || !busy.error().Retryable {
			t.Errorf("told as %v %s", busy.header, busy.body)
		}
	}
	again := s.follow(t, "capture", c, "", "Idempotency-Key", "k").want(t, 202, "")
	if !again.replayed() || !bytes.Equal(again.body, first.body) {
		t.Errorf("first\n%s\nthen\n%s", first.body, again.body)
	}
	s.resolveAfter(t, 4*time.Second)
	known := s.follow(t, "capture", c, "", "Idempotency-Key", "k").want(t, 200, "")
	if got := known.charge(t); !known.replayed() || got.Status != charge.Captured || got.AmountCaptured != 12_500 {
		t.Errorf("in the end %s", known.body)
	}
}

// followUps is the sandbox processor with captures and voids of a test's own.
type followUps struct {
	*sandbox.Processor
	play func(context.Context, processor.FollowUp) (processor.Answer, error)
}

func (p *followUps) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, f)
}

func (p *followUps) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.play(ctx, f)
}

func TestOutcomesOfFollowUps(t *testing.T) {
	t.Parallel()
	p := &followUps{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	s := serve(t, w, configOf(w), time.Minute)
	code := map[string]string{"capture": "charge_not_capturable", "void": "charge_not_voidable"}
	for _, what := range []string{"capture", "void"} {
		c := s.authorized(t, good)
		p.play = func(context.Context, processor.FollowUp) (processor.Answer, error) {
			return processor.Answer{DeclineCode: "generic_decline"}, nil
		}
		refused := s.follow(t, what, c, "", "Idempotency-Key", what+"1").want(t, 409, code[what])
		again := s.follow(t, what, c, "", "Idempotency-Key", what+"1").want(t, 409, code[what])
		if !again.replayed() || !bytes.Equal(again.body, refused.body) ||
			!strings.Contains(string(again.body), `"status":"authorized"`) {
			t.Errorf("first\n%s\nthen\n%s", refused.body, again.body)
		}
		p.play = func(context.Context, processor.FollowUp) (processor.Answer, error) {
			return processor.Answer{}, errors.New("no route to the processor")
		}
		s.follow(t, what, c, "", "Idempotency-Key", what+"2").want(t, 202, "")
		s.resolveAfter(t, w.Processor.SettleWindow()+time.Second)
		lost := s.follow(t, what, c, "", "Idempotency-Key", what+"2").want(t, 502, "processor_error")
		if e := lost.error(); !e.Retryable || !lost.replayed() || e.ChargeID != c.ID.String() {
			t.Errorf("told as %s", lost.body)
		}
		if now := s.get(t, "/api/charges/"+c.ID.String()).charge(t); now.Status != charge.Authorized {
			t.Errorf("a %s that never arrived left %s", what, now.Status)
		}
	}
	late := s.authorized(t, good)
	p.play = func(context.Context, processor.FollowUp) (processor.Answer, error) {
		return processor.Answer{DeclineCode: "authorization_expired"}, nil
	}
	s.follow(t, "capture", late, "").want(t, 422, "authorization_expired")
}
