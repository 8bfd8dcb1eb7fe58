package conformance

import (
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

func (h Harness) verification(bank processor.Bank) processor.VerificationRequest {
	return processor.VerificationRequest{Reference: h.reference(), Account: h.Account, Currency: money.USD,
		Descriptor: "RIVERSIDE FOOD", Bank: bank, Email: "payer@example.org",
		Mandate: processor.MandateAcceptance{IP: "192.0.2.7", UserAgent: "Mozilla/5.0", AcceptedAt: h.Now()}}
}

// verifies has the deposits of bank accounts sent and told: rightly, wrongly, and of accounts to which they do not get.
func verifies(t *testing.T, h Harness) {
	p := h.open()
	sound := h.started(t, h.Settles)
	wrong := [2]int64{h.Deposits[0], h.Deposits[1] + 1}
	first := h.confirm(t, "wrong amounts", processor.WrongDeposits, sound, wrong)
	second := h.confirm(t, "wrong amounts again", processor.WrongDeposits, sound, wrong)
	if first.Remaining != nil && (second.Remaining == nil || *second.Remaining >= *first.Remaining) {
		t.Errorf("%v, then %v tries remain", first.Remaining, second.Remaining)
	}
	other := sound
	other.Account = h.Other
	h.confirm(t, "of another merchant", processor.Unverifiable, other, h.Deposits)
	h.confirm(t, "the other way round", processor.Verified, sound, [2]int64{h.Deposits[1], h.Deposits[0]})
	h.confirm(t, "again", processor.Verified, sound, h.Deposits)
	e := h.await(t, "", processor.BankAccountVerified, sound.Original, 1)
	if e.Account != h.Account.External || e.Dispute != nil || e.At.After(h.Now()) || e.ID == "" {
		t.Errorf("%+v", e)
	}
	answer, err := p.Start(t.Context(), h.verification(h.Unusable))
	outcome(t, "an account that takes no deposits", "declined", answer, err)
	back := h.started(t, h.DepositsReturn)
	e = h.await(t, "", processor.VerificationFailed, back.Original, 7)
	if e.Account != h.Account.External || e.ReturnCode+e.RawCode == "" || e.At.After(h.Now()) {
		t.Errorf("%+v", e)
	}
	h.confirm(t, "deposits that came back", processor.Unverifiable, back, h.Deposits)
	h.Advance(30 * 24 * time.Hour)
	for _, e := range h.feed(t, "") {
		if e.Reference == sound.Original && e.Kind != processor.BankAccountVerified {
			t.Errorf("%+v", e)
		}
	}
}

// startsOnce repeats the start of a verification under its reference, also one whose answer was lost.
func startsOnce(t *testing.T, h Harness) {
	for name, bank := range map[string]processor.Bank{"answered": h.Settles, "declined": h.Unusable,
		"lost": h.LostBank} {
		v := h.verification(bank)
		first, err := h.open().Start(t.Context(), v)
		if lost := name == "lost"; lost != (err != nil) {
			t.Fatalf("%s: %+v, %v", name, first, err)
		}
		second, err := h.open().Start(t.Context(), v)
		if err != nil || name != "lost" && second != first || second.Approved != (name != "declined") {
			t.Errorf("%s: %+v, then %+v, %v", name, first, second, err)
		}
		if !second.Approved {
			continue
		}
		c := processor.Confirmation{Original: v.Reference, OriginalID: second.ExternalID, Account: h.Account}
		h.confirm(t, name, processor.Verified, c, h.Deposits)
	}
}

// started has deposits sent, and returns what to confirm about them.
func (h Harness) started(t *testing.T, bank processor.Bank) processor.Confirmation {
	t.Helper()
	v := h.verification(bank)
	answer, err := h.open().Start(t.Context(), v)
	outcome(t, "start", "", answer, err)
	if h.HasIDs != (answer.ExternalID != "") {
		t.Errorf("the id of a verification is %q", answer.ExternalID)
	}
	return processor.Confirmation{Account: h.Account, Original: v.Reference, OriginalID: answer.ExternalID}
}

func (h Harness) confirm(t *testing.T, what string, want processor.Verdict, c processor.Confirmation, amounts [2]int64,
) processor.Confirmed {
	t.Helper()
	c.Reference, c.Amounts = h.reference(), amounts
	confirmed, err := h.open().Confirm(t.Context(), c)
	if err != nil || confirmed.Verdict != want {
		t.Errorf("%s: %+v, %v; want %s", what, confirmed, err, want)
	}
	return confirmed
}
