package notify_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/money"
	"svcpay/internal/notify"
	"svcpay/internal/platform/mail"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// world is a sandbox that writes mails, with one person of each role in each place.
type world struct {
	*fixture.World
	*notify.Notifier
	t *testing.T
}

// emptyWorld has no one in it but whom the test invents.
func emptyWorld(t *testing.T) *world {
	t.Helper()
	const portal = "https://pay.example"
	w := &world{World: fixture.New(t, fixture.SendsMail, func(d *assembly.Deps) { d.BaseURL = portal }), t: t}
	w.Notifier = notify.New(w.Mail, w.Identity, portal)
	return w
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := emptyWorld(t)
	for _, r := range authz.PeopleRoles() {
		w.invent(string(r), r, w.App)
		if r.Scope() != authz.ScopeSystem {
			w.invent("other_"+string(r), r, w.Other)
		}
	}
	return w
}

// invent adds someone with a role in one of the two applications, or in its organization.
func (w *world) invent(name string, r authz.Role, in demo.Application) int64 {
	w.t.Helper()
	g := identity.Grant{Role: string(r), Scope: string(r.Scope())}
	switch r.Scope() {
	case authz.ScopeApplication:
		g.ScopeID = in.AppID
	case authz.ScopeOrganization:
		g.ScopeID = in.OrganizationID
	}
	return w.Invent(name+"@example.org", "Kim Vale", "correct horse battery", g)
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// letters delivers what is due and returns the letters of a kind, and forgets all there are.
func (w *world) letters(kind mail.Kind) (out []mail.Letter) {
	w.t.Helper()
	for {
		n, err := w.Mail.Deliver(w.t.Context())
		w.must(err)
		if n == 0 {
			break
		}
	}
	all, err := w.Mail.Inbox(w.t.Context())
	w.must(err)
	for _, l := range all {
		if l.Kind == kind {
			out = append(out, l)
		}
	}
	_, err = pg.Exec(w.t.Context(), w.Pool, `DELETE FROM mails`, pg.Args{})
	w.must(err)
	return out
}

// tells checks that a kind of mail went to just these people, once each, and returns one of them.
func (w *world) tells(kind mail.Kind, names ...string) mail.Letter {
	w.t.Helper()
	letters := w.letters(kind)
	got := make([]string, 0, len(letters))
	for _, l := range letters {
		got = append(got, strings.TrimSuffix(l.To, "@example.org"))
	}
	slices.Sort(got)
	slices.Sort(names)
	if !slices.Equal(got, names) {
		w.t.Fatalf("%s went to %v, not to %v", kind, got, names)
	}
	if len(letters) == 0 {
		return mail.Letter{}
	}
	return letters[0]
}

// says checks what a mail tells, and where it leads.
func (w *world) says(l mail.Letter, path string, texts ...string) {
	w.t.Helper()
	if l.Link.URL != "https://pay.example"+path {
		w.t.Errorf("%q leads to %s, not to %s", l.Subject, l.Link.URL, path)
	}
	for _, text := range texts {
		if !strings.Contains(l.Subject+"\n"+l.Plain(), text) {
			w.t.Errorf("the mail does not say %q:\n%s\n%s", text, l.Subject, l.Plain())
		}
	}
}

// later moves the first application's clock, which does what becomes due by then.
func (w *world) later(d time.Duration) {
	w.t.Helper()
	by := d.String()
	_, err := w.Simulate.Advance(w.t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &by}, nil)
	w.must(err)
}

// money writes an amount as the mails do.
func dollars(a money.Amount) string { return fmt.Sprintf("$%d.%02d USD", a/100, a%100) }

func ptr[T any](v T) *T { return &v }

// worksUntil sends webhooks until something is so.
func (w *world) worksUntil(so func() bool) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var run sync.WaitGroup
	run.Go(func() { w.Webhooks.NewWorker().Run(ctx) })
	defer run.Wait()
	defer cancel()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatal("it is not so after 20 seconds")
		}
	}
}
