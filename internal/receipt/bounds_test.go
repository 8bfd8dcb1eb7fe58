package receipt_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/receipt"
	"svcpay/internal/testing/fixture"
)

// sender sends receipts as a person, of charges that had few receipts so far.
type sender struct {
	*fixture.World
	charges []charge.Charge
	next    atomic.Int64
}

func newSender(t *testing.T, charges int) *sender {
	t.Helper()
	s := &sender{World: fixture.New(t, fixture.SendsMail)}
	for range charges {
		s.charges = append(s.charges, paid(s.World, "4242424242424242", 500))
	}
	return s
}

func (s *sender) send(actor authz.Actor, email string) error {
	c := s.charges[int(s.next.Add(1))%len(s.charges)]
	_, err := s.Receipts.Send(s.T.Context(), actor, receipt.SendInput{ChargeID: c.ID.String(), Email: email}, nil)
	return err
}

// limited requires that a receipt was not sent, and that the fault says when another one can be.
func limited(t *testing.T, what string, err error, after time.Duration) {
	t.Helper()
	if f, ok := fault.As(err); !ok || f.Code != "too_many_attempts" || f.Kind != fault.KindLimited ||
		f.RetryAfter != after {
		t.Errorf("%s: %+v, want too_many_attempts for %s", what, err, after)
	}
}

// An address gets ten receipts an hour, in any capitals, of however many charges, from however many people.
func TestAnAddressGetsFewReceipts(t *testing.T) {
	t.Parallel()
	s := newSender(t, 4)
	kim := s.Person(authz.RoleOrganizationStaff)
	lee := kim
	lee.PersonID, lee.PersonName = 6, "Lee Ash"
	var sent atomic.Int64
	var all sync.WaitGroup
	for i := range 15 {
		all.Go(func() {
			actor, email := kim, "dana@example.org"
			if i%2 == 1 {
				actor, email = lee, "Dana@Example.org"
			}
			if err := s.send(actor, email); err == nil {
				sent.Add(1)
			} else {
				limited(t, "one too many", err, time.Hour)
			}
		})
	}
	all.Wait()
	letters, err := s.Mail.Inbox(t.Context())
	if sent.Load() != 10 || len(letters) != 10 || err != nil {
		t.Fatalf("%d receipts, %d mails, %v", sent.Load(), len(letters), err)
	}
	if err := s.send(kim, "mika@example.org"); err != nil {
		t.Errorf("to another address: %v", err)
	}
	s.Clock.Advance(50 * time.Minute)
	limited(t, "later", s.send(lee, "dana@example.org"), 10*time.Minute)
	s.Clock.Advance(10 * time.Minute)
	if err := s.send(lee, "dana@example.org"); err != nil {
		t.Errorf("an hour later: %v", err)
	}
}

// A person sends 30 receipts an hour, to however many addresses.
func TestAPersonSendsFewReceipts(t *testing.T) {
	t.Parallel()
	s := newSender(t, 7)
	kim := s.Person(authz.RoleOrganizationStaff)
	for i := range 30 {
		if err := s.send(kim, fmt.Sprintf("payer%d@example.org", i)); err != nil {
			t.Fatalf("receipt %d: %v", i, err)
		}
	}
	limited(t, "one too many", s.send(kim, "another@example.org"), time.Hour)
	lee := kim
	lee.PersonID, lee.PersonName = 6, "Lee Ash"
	if err := s.send(lee, "another@example.org"); err != nil {
		t.Errorf("by another person: %v", err)
	}
}
