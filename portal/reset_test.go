package portal

import (
	"testing"
	"time"

	"svcpay/internal/identity"
)

// Who asks for a link learns nothing of an address by the work that it makes: as many turns at the database, no
// password that is hashed, and never an answer before the time that covers both.
func TestALinkForNobodyIsTheSameWork(t *testing.T) {
	t.Parallel()
	w := mailWorld(t, nil)
	work := func(email string) (turns int64, took time.Duration) {
		before, began := w.Pool.Stat().AcquireCount(), time.Now()
		if err := w.World.Identity.AskReset(t.Context(), email, identity.Visitor{}); err != nil {
			t.Fatal(err)
		}
		return w.Pool.Stat().AcquireCount() - before, time.Since(began)
	}
	known, waited := work(dana)
	unknown, waitedToo := work("nobody@example.org")
	if known != unknown || known == 0 {
		t.Errorf("%d turns for somebody, %d for nobody", known, unknown)
	}
	const least = 400 * time.Millisecond
	if waited < least || waitedToo < least {
		t.Errorf("answered after %v and %v", waited, waitedToo)
	}
	if _, n := w.of("reset_link", dana); n != 1 || len(w.letters()) != 1 {
		t.Errorf("%d mails, %d in all", n, len(w.letters()))
	}
}
