package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

func TestApprovedCards(t *testing.T) {
	t.Parallel()
	s := open(t)
	pass := processor.Checks{CVC: processor.Pass, AddressLine1: processor.Pass, AddressZip: processor.Pass}
	noCVC, noAddress := pass, pass
	noCVC.CVC, noAddress.AddressLine1, noAddress.AddressZip = processor.Fail, processor.Fail, processor.Fail
	for number, want := range map[string]struct {
		brand  string
		checks processor.Checks
	}{
		good: {"visa", pass}, "5555555555554444": {"mastercard", pass}, "2223003122003222": {"mastercard", pass},
		"378282246310005": {"amex", pass}, "6011111111111117": {"discover", pass}, "3566002020360505": {"jcb", pass},
		"36227206271667": {"diners_club", pass}, "4000000000000010": {"visa", noAddress},
		"4000000000000101": {"visa", noCVC},
	} {
		t.Run(number, func(t *testing.T) {
			a := s.post(t, s.body(s.Token(number))).want(t, 201, "")
			c := a.charge(t)
			if c.Status != charge.Captured || c.AmountCaptured != 12_500 || c.PaymentMethod.Brand != want.brand ||
				*c.PaymentMethod.Checks != want.checks {
				t.Errorf("the charge is %s", a.body)
			}
			read := s.get(t, a.header.Get("Location")).want(t, 200, "")
			if !bytes.Equal(read.body, a.body) || read.header.Get("ETag") != a.header.Get("ETag") {
				t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
			}
		})
	}
}

func TestAuthorizationWithoutCapture(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good), "capture", "false")).want(t, 201, "").charge(t)
	if c.Status != charge.Authorized || c.AmountCaptured != 0 || c.AuthorizationExpiresAt == nil ||
		c.CapturedAt != nil {
		t.Errorf("the charge is %+v", c)
	}
}

func TestSeriesOfATokenAreToldApart(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	for _, step := range []struct {
		recurring string
		want      processor.StoredCredential
	}{{"false", "none"}, {"true", "initial"}, {"true", "recurring"}, {"false", "unscheduled"}} {
		if c := s.post(t, s.body(token, "recurring", step.recurring)).charge(t); c.StoredCredential != step.want {
			t.Errorf("stored credential %s, want %s", c.StoredCredential, step.want)
		}
	}
}

func TestDeclinedCards(t *testing.T) {
	t.Parallel()
	s := open(t)
	own := map[string]string{"expired_card": "expired_card", "incorrect_cvc": "incorrect_cvc"}
	for _, d := range append(declines, decline{Name: "generic_decline", Card: "4000000000000341"}) {
		t.Run(d.Card, func(t *testing.T) {
			code := own[d.Name]
			if code == "" {
				code = "card_declined"
			}
			body := s.body(s.Token(d.Card))
			first := s.postKey(t, d.Card, body).want(t, 402, code)
			e := first.error()
			if e.DeclineCode != d.Name || e.Param != "token" || e.Advice == "" ||
				e.Retryable != (d.Name == "processing_error") {
				t.Errorf("the decline is told as %s", first.body)
			}
			c := s.get(t, "/api/charges/"+e.ChargeID).want(t, 200, "").charge(t)
			if c.Status != charge.Failed || c.Failure.Code != code || c.Failure.DeclineCode != d.Name ||
				c.Failure.Message != e.Message ||
				c.AmountCaptured != 0 || c.FeeTotal != 0 || c.FailedAt == nil {
				t.Errorf("the charge is %+v", c)
			}
			before := s.rows(t)
			again := s.postKey(t, d.Card, body).want(t, 402, code)
			if !again.replayed() || first.replayed() || !bytes.Equal(again.body, first.body) || s.rows(t) != before {
				t.Errorf("the decline was first told as\n%s\nthen as\n%s", first.body, again.body)
			}
		})
	}
}

func TestRefusalsOfTheBusiness(t *testing.T) {
	t.Parallel()
	s := open(t)
	token, disabled, deleted := s.Token(good), s.Token(good), s.Token(good)
	s.execute(t, `UPDATE tokens SET status = 'disabled', disabled_reason = 'test'
		WHERE id = @id::uuid`, pg.Args{"id": uuidOf(t, disabled)})
	s.execute(t, `UPDATE tokens SET status = 'deleted' WHERE id = @id::uuid`, pg.Args{"id": uuidOf(t, deleted)})
	s.execute(t, `UPDATE merchants SET status = 'suspended' WHERE id = @id`, pg.Args{"id": s.App.Merchants.CA})
	before := s.rows(t)
	for _, tt := range []struct {
		name, body   string
		status       int
		code, param  string
		afterAdvance time.Duration
	}{
		{"other currency", s.body(token, "currency", `"cad"`), 400, "currency_unsupported", "currency", 0},
		{"other funding currency", s.body(token, "funding_currency", `"cad"`), 422, "funding_currency_mismatch", "funding_currency", 0},
		{"merchant suspended", s.body(token, "merchant_id", fmt.Sprint(s.App.Merchants.CA)), 422, "merchant_not_active", "merchant_id", 0},
		{"merchant unknown", s.body(token, "merchant_id", "9223372036854775807"), 403, "merchant_not_associated", "merchant_id", 0},
		{"token unknown", s.body(marker), 422, "token_not_found", "token", 0},
		{"token with NUL", s.body(token[:29] + `\u0000`), 422, "token_not_found", "token", 0},
		{"token of zeros", s.body("tok_00000000000000000000000000"), 422, "token_not_found", "token", 0},
		{"token deleted", s.body(deleted), 422, "token_not_found", "token", 0},
		{"other type", s.body(token, "type", `"ach"`), 422, "token_type_mismatch", "type", 0},
		{"origin of a swiped card", s.body(token, "origin", `"terminal"`), 422, "token_type_mismatch", "origin", 0},
		{"token disabled", s.body(disabled), 422, "token_disabled", "token", 0},
		{"token expired", s.body(token), 410, "token_expired", "token", 400 * 24 * time.Hour},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.Clock.Advance(tt.afterAdvance)
			if e := s.postKey(t, "one-for-all", tt.body).want(t, tt.status, tt.code).error(); e.Param != tt.param {
				t.Errorf("the mistake is told of %q, want %q", e.Param, tt.param)
			}
		})
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
}

func uuidOf(t *testing.T, token string) [16]byte {
	t.Helper()
	id, err := tokenID(token)
	if err != nil {
		t.Fatal(err)
	}
	return id.Bytes()
}

func TestExternalIDIsTaken(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	first := s.post(t, s.body(token, "external_id", `"gift-1"`)).charge(t)
	before := s.rows(t)
	e := s.postKey(t, "k", s.body(token, "external_id", `"gift-1"`, "amount", "5")).want(t, 409,
		"external_id_taken").error()
	if e.ChargeID != first.ID.String() || e.Param != "external_id" || s.rows(t) != before {
		t.Errorf("told of %q, want %s", e.ChargeID, first.ID)
	}
	s.postKey(t, "k", s.body(token, "external_id", `"gift-2"`)).want(t, 201, "")
	theirs := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
	s.send(t, call{
		method: "POST", path: "/api/charges", as: &s.Other,
		body: s.body(theirs, "merchant_id", fmt.Sprint(s.Other.Merchants.US), "external_id", `"gift-1"`),
	}).want(t, 201, "")
}

func TestTimeOutIsResolvedWithoutAnotherRequest(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token("4000000000005423"))
	first := s.postKey(t, "k", body).want(t, 202, "")
	c := first.charge(t)
	again := s.postKey(t, "k", body).want(t, 202, "")
	if c.Status != charge.Processing || !again.replayed() || first.replayed() || !bytes.Equal(again.body, first.body) {
		t.Errorf("first\n%s\nthen\n%s", first.body, again.body)
	}
	s.resolveAfter(t, 4*time.Second)
	known := s.postKey(t, "k", body).want(t, 201, "")
	if k := known.charge(t); !known.replayed() || k.ID != c.ID || k.Status != charge.Captured {
		t.Errorf("resolved as %s", known.body)
	}
	if read := s.get(t, "/api/charges/"+c.ID.String()); !bytes.Equal(read.body, known.body) {
		t.Errorf("replayed as\n%s\nread as\n%s", known.body, read.body)
	}
}

// resolveAfter lets time pass and does what the resolver's job does.
func (s *site) resolveAfter(t *testing.T, d time.Duration) {
	t.Helper()
	s.Clock.Advance(d)
	if n, err := s.Operations.Resolve(t.Context()); err != nil || n != 1 {
		t.Fatalf("resolved %d, %v", n, err)
	}
}

// silent is a processor that never gets a submission and knows of none.
type silent struct{ processor.Processor }

func (silent) Authorize(context.Context, processor.Authorization) (processor.Answer, error) {
	return processor.Answer{}, errors.New("no route to the processor")
}

func TestChargeThatNeverArrivesFails(t *testing.T) {
	t.Parallel()
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		return silent{inner}
	})
	s := serve(t, w, configOf(w), time.Minute)
	body := s.body(s.Token(good))
	id := s.postKey(t, "k", body).want(t, 202, "").charge(t).ID
	s.resolveAfter(t, time.Second)
	s.postKey(t, "k", body).want(t, 202, "")
	s.resolveAfter(t, 30*time.Second)
	lost := s.postKey(t, "k", body).want(t, 502, "processor_error")
	if e := lost.error(); e.ChargeID != id.String() || !e.Retryable || !lost.replayed() {
		t.Errorf("told as %s", lost.body)
	}
	if again := s.postKey(t, "k", body); !bytes.Equal(again.body, lost.body) {
		t.Errorf("first\n%s\nthen\n%s", lost.body, again.body)
	}
	c := s.get(t, "/api/charges/"+id.String()).charge(t)
	if c.Status != charge.Failed || c.Failure.Code != "not_submitted" || c.FeeTotal != 0 {
		t.Errorf("the charge is %+v", c)
	}
}
