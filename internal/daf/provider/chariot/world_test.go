package chariot_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/provider/conformance"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/pgtest"
)

// start is a Thursday.
var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

const (
	account = "app-1/merchant-1"
	other   = "app-2/merchant-1"
	good    = "20-2000007"
	second  = "04-3567500"
	day     = 24 * time.Hour
	gift    = 125_00
)

// world is a Chariot, and our tables.
type world struct {
	*fake.Fake
	pool        *pgxpool.Pool
	address     string
	credentials string
}

func newWorld(t *testing.T) *world {
	f := fake.New(start)
	s := httptest.NewServer(described.Serve(t, f))
	t.Cleanup(s.Close)
	return &world{Fake: f, pool: pgtest.New(t), address: s.URL, credentials: f.Key + "\n" + f.Secret}
}

func (w *world) open() *chariot.Provider {
	return chariot.New(
		chariot.Config{Pool: w.pool, API: w.address + "/", PagesOrigin: "https://daf.example", Now: w.Now,
			Credentials: func(context.Context) (sensitive.Credentials, error) {
				return sensitive.NewCredentials(w.credentials), nil
			}},
	)
}

func (w *world) reference() string { return ids.NewOperation(w.Now()).String() }

// contact is one that Chariot accepts for an organization.
func contact(ein string) provider.Contact {
	domain := map[string]string{good: "neighborhood.example", second: "riverside.example"}[ein]
	return provider.Contact{FirstName: "Ola", LastName: "Nord", Email: "ola@" + domain}
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// enrolled is the connect of the good organization.
func (w *world) enrolled(t *testing.T) string {
	t.Helper()
	id, err := w.open().
		Enroll(t.Context(), provider.Enrollment{Reference: w.reference(), EIN: good, Name: "Neighborhood Fund",
			Contact: contact(good)})
	ok(t, err)
	return id
}

// fund is the id of a fund by its name.
func (w *world) fund(t *testing.T, name string) string {
	t.Helper()
	found, err := w.open().Funds(t.Context(), name, 1)
	ok(t, err)
	if len(found) != 1 {
		t.Fatalf("there is no fund %s", name)
	}
	return found[0].ID
}

// visit begins a visit.
func (w *world) visit(t *testing.T) string {
	t.Helper()
	pages, err := w.open().
		Visit(t.Context(), provider.Visit{Reference: w.reference(), Account: account, ConnectID: w.enrolled(t),
			FundID: w.fund(t, "Cedar"),
			Amount: gift, Donor: provider.Donor{FirstName: "Dana", LastName: "Reed", Email: "dana@example.org",
				Note: "For the winter"}, Return: "https://pay.example/back"})
	ok(t, err)
	if pages.Address != "https://daf.example"+chariot.PagesPath+pages.VisitID {
		t.Errorf("%+v", pages)
	}
	return pages.VisitID
}

// authorize has a donor authorize an amount in the component, and the page report it.
func (w *world) authorize(t *testing.T, visitID string, amount money.Amount, balance int64) string {
	t.Helper()
	look, err := w.open().Look(t.Context(), visitID)
	ok(t, err)
	session := w.Authorize(
		fake.Session{
			ConnectID: look.ConnectID,
			FundID:    look.FundID,
			Amount:    int64(amount),
			Balance:   balance,
			Reference: look.Reference,
		},
	)
	ok(t, w.open().Succeeded(t.Context(), visitID, success(session, amount)))
	return session
}

// success is what a page reports.
func success(session string, amount money.Amount) chariot.Success {
	return chariot.Success{Session: session, Amount: amount}
}

// authorized is a grant to submit, and its session.
func (w *world) authorized(t *testing.T, balance int64) (provider.Grant, string) {
	t.Helper()
	visitID := w.visit(t)
	return provider.Grant{
			Reference: w.reference(),
			VisitID:   visitID,
			Amount:    gift,
		}, w.authorize(
			t,
			visitID,
			gift,
			balance,
		)
}

// granted makes a grant.
func (w *world) granted(t *testing.T) (provider.Grant, provider.Answer) {
	t.Helper()
	g, _ := w.authorized(t, 0)
	answer, err := w.open().Grant(t.Context(), g)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return g, answer
}

func TestConformance(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(*fake.Fake){
		"stable": func(f *fake.Fake) { f.PlainErrors(true) },
		"beta":   func(f *fake.Fake) { f.Beta(true); f.LatestFirst(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conformance.Run(t, func(t *testing.T) conformance.Harness {
				w := newWorld(t)
				set(w.Fake)
				return w.harness()
			})
		})
	}
}

func (w *world) harness() conformance.Harness {
	return conformance.Harness{
		Open: func() provider.Provider { return w.open() }, Now: w.Now, Advance: w.Advance, Account: account,
		Other: other,
		Good:  good, Second: second, Unknown: "99-9999999", Contact: contact, NoWebsites: true,
		Authorize: func(t *testing.T, visitID string, amount money.Amount) {
			t.Helper()
			if amount == 0 {
				ok(t, w.open().Exited(t.Context(), visitID, chariot.Exit{Reason: "USER_EXIT"}))
				return
			}
			w.authorize(t, visitID, amount, 0)
		},
		Signed: map[string][]string{
			"Chariot-Webhook-Signature": {
				"v1=00",
				"t=now,v1=00",
				"t=2027-05-20T07:08:09Z,v1=" + strings.Repeat("00", 32),
				"x",
			},
		},
		Notice: func(_ *testing.T, e provider.Event) (map[string][]string, []byte) {
			_, id, _ := strings.Cut(e.ID, "_")
			return w.Webhook(id)
		},
	}
}
