package sandbox

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

// TestPaymentsNeverGiveMoreThanTheyTook plays random calls about a payment and keeps its book next to
// the rules.
func TestPaymentsNeverGiveMoreThanTheyTook(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		begin := time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)
		p := payment{
			Kind: rapid.SampledFrom([]string{"authorize", "debit"}).Draw(t, "kind"), Approved: rapid.IntRange(0,
				9).Draw(t, "approved") > 0,
			Amount: money.Amount(rapid.IntRange(1, 100).Draw(t, "amount")), Currency: money.USD, At: begin,
		}
		p.CapturedAtOnce = p.Approved && p.Kind == "authorize" && rapid.Bool().Draw(t, "one step")
		captures := 0
		for range rapid.IntRange(1, 12).Draw(t, "calls") {
			f := processor.FollowUp{Amount: money.Amount(rapid.IntRange(1, 110).Draw(t, "of")), Currency: money.USD}
			at := begin.Add(time.Duration(rapid.IntRange(0, 8*24).Draw(t, "hours")) * time.Hour)
			switch rapid.IntRange(0, 3).Draw(t, "call") {
			case 0:
				if p.capture(f, at) == "" {
					p.CapturedLater += f.Amount
					captures++
					if !at.Before(begin.Add(7 * 24 * time.Hour)) {
						t.Fatalf("captured after %v", at.Sub(begin))
					}
				}
			case 1:
				if p.void(f) == "" {
					if p.Kind == "authorize" && p.taken() > 0 || f.Amount != p.Amount || p.Refunded > 0 &&
						p.Kind == "authorize" {
						t.Fatalf("voided %+v", p)
					}
					p.Voided = true
				}
			case 2:
				before := p.taken() - p.Refunded
				if code := p.refund(f); code == "" {
					p.Refunded += f.Amount
				} else if p.Approved && !p.Voided && f.Amount <= before {
					t.Fatalf("refunding %d of %d is refused: %s", f.Amount, before, code)
				}
			case 3:
				if f.Currency = money.CAD; p.capture(f, at) == "" || p.refund(f) == "" || p.void(f) == "" {
					t.Fatal("in another currency")
				}
			}
			if p.Voided {
				if p.capture(f, begin) == "" || p.refund(f) == "" || p.void(f) == "" {
					t.Fatalf("alive after a void: %+v", p)
				}
				continue
			}
			if p.Refunded > p.taken() || p.taken() > p.Amount || captures > 1 || captures > 0 &&
				(p.CapturedAtOnce || p.Kind == "debit") ||
				!p.Approved && p.taken() > 0 {
				t.Fatalf("%d captures: %+v", captures, p)
			}
		}
	})
}

func TestDeclineCodesOfFollowUps(t *testing.T) {
	t.Parallel()
	begin := time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)
	held := payment{Kind: "authorize", Approved: true, Amount: 100, Currency: money.USD, At: begin}
	with := func(change func(*payment)) payment { p := held; change(&p); return p }
	debit := func(change func(*payment)) payment { p := with(change); p.Kind = "debit"; return p }
	f := processor.FollowUp{Amount: 100, Currency: money.USD}
	for name, c := range map[string]struct{ got, want string }{
		"capture of a decline":    {with(func(p *payment) { p.Approved = false }).capture(f, begin), "original_not_approved"},
		"capture after void":      {with(func(p *payment) { p.Voided = true }).capture(f, begin), "already_voided"},
		"capture twice":           {with(func(p *payment) { p.CapturedLater = 1 }).capture(f, begin), "already_captured"},
		"capture of one step":     {with(func(p *payment) { p.CapturedAtOnce = true }).capture(f, begin), "already_captured"},
		"capture of a debit":      {debit(func(*payment) {}).capture(f, begin), "already_captured"},
		"capture too late":        {held.capture(f, begin.Add(terms.AuthorizationLife)), "authorization_expired"},
		"capture of too much":     {with(func(p *payment) { p.Amount = 99 }).capture(f, begin), "capture_exceeds_authorized"},
		"capture":                 {held.capture(f, begin.Add(terms.AuthorizationLife-1)), ""},
		"void of a decline":       {with(func(p *payment) { p.Approved = false }).void(f), "original_not_approved"},
		"void twice":              {with(func(p *payment) { p.Voided = true }).void(f), "already_voided"},
		"void after capture":      {with(func(p *payment) { p.CapturedLater = 1 }).void(f), "already_captured"},
		"void of a part":          {with(func(p *payment) { p.Amount = 101 }).void(f), "void_not_whole"},
		"void of a settled debit": {debit(func(p *payment) { p.Settled = true }).void(f), "already_settled"},
		"void of a return":        {debit(func(p *payment) { p.Returned = true }).void(f), "debit_returned"},
		"void":                    {held.void(f), ""},
		"void of a debit":         {debit(func(*payment) {}).void(f), ""},
		"refund of a decline":     {with(func(p *payment) { p.Approved = false }).refund(f), "original_not_approved"},
		"refund of a void":        {debit(func(p *payment) { p.Voided = true }).refund(f), "already_voided"},
		"refund of a return":      {debit(func(p *payment) { p.Returned = true }).refund(f), "debit_returned"},
		"refund of a hold":        {held.refund(f), "refund_exceeds_captured"},
		"refund of too much":      {with(func(p *payment) { p.CapturedLater, p.Refunded = 100, 1 }).refund(f), "refund_exceeds_captured"},
		"refund":                  {with(func(p *payment) { p.CapturedAtOnce = true }).refund(f), ""},
		"refund of a debit":       {debit(func(p *payment) { p.Settled = true }).refund(f), ""},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
}
