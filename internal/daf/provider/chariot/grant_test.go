package chariot_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/platform/pg"
)

const grants = "POST /v1/grants"

// TestUnknownOutcomes: after any error the outcome is unknown, and the look-up finds or makes the one grant.
func TestUnknownOutcomes(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]fake.Fault{"the answer is lost": fake.LoseAnswer,
		"the call is lost": fake.LoseCall, "429": fake.TooMany,
		"500": fake.Broken, "403": fake.Forbidden, "a proxy's 400": fake.Proxy, "an unreadable answer": fake.Garbled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			g, session := w.authorized(t, 0)
			w.Fail(grants, fault, fault)
			for range 2 {
				answer, err := w.open().Grant(t.Context(), g)
				if err == nil || errors.Is(err, provider.ErrNotFound) || answer != (provider.Answer{}) {
					t.Fatalf("%+v, %v", answer, err)
				}
				for _, secret := range []string{fake.Secretive, session, g.VisitID, w.Key, "dana@example.org"} {
					if strings.Contains(err.Error(), secret) {
						t.Errorf("%v has %q", err, secret)
					}
				}
			}
			found, err := w.open().Lookup(t.Context(), g.Reference)
			if err != nil || !found.Approved || w.Grants() != 1 {
				t.Fatalf("%+v, %v, %d grants", found, err, w.Grants())
			}
			if again, err := w.open().Grant(t.Context(), g); err != nil || again != found {
				t.Errorf("%+v, %v", again, err)
			}
		})
	}
}

// TestGrantInProgress: 409 is asked about until there is an outcome.
func TestGrantInProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.authorized(t, 0)
	w.Fail(grants, fake.Processing, fake.Processing)
	if answer, err := w.open().Grant(t.Context(), g); err != nil || !answer.Approved {
		t.Errorf("%+v, %v", answer, err)
	}
}

// TestDeclines: 400 and 410 are final.
func TestDeclines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	poor, _ := w.authorized(t, gift-1)
	late, _ := w.authorized(t, 0)
	declined := func(g provider.Grant, code string) {
		t.Helper()
		want := provider.Answer{DeclineCode: code}
		if answer, err := w.open().Grant(t.Context(), g); err != nil || answer != want {
			t.Errorf("%+v, %v", answer, err)
		}
		w.Requests()
		if answer, err := w.open().Lookup(t.Context(), g.Reference); err != nil || answer != want ||
			len(w.Requests()) > 0 {
			t.Errorf("looked up: %+v, %v", answer, err)
		}
	}
	declined(poor, "generic_decline")
	w.Advance(15*time.Minute + time.Second)
	declined(late, "authorization_expired")
	if w.Grants() != 0 {
		t.Errorf("%d grants", w.Grants())
	}
}

// TestRefusalAfterLostAnswer: a refused repetition says nothing about the first request.
func TestRefusalAfterLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.authorized(t, 0)
	w.Fail(grants, fake.LoseAnswer, fake.Refused)
	if answer, err := w.open().Grant(t.Context(), g); err == nil {
		t.Fatalf("%+v", answer)
	}
	if found, err := w.open().Lookup(t.Context(), g.Reference); err != nil || !found.Approved {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestRefusalWhileTheFirstMayBeOnItsWay: a repetition that is refused declines nothing before the first call has ended.
func TestRefusalWhileTheFirstMayBeOnItsWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.authorized(t, 0)
	w.Fail(grants, fake.LoseCall, fake.Refused, fake.Refused)
	if answer, err := w.open().Grant(t.Context(), g); err == nil {
		t.Fatalf("%+v", answer)
	}
	if found, err := w.open().Lookup(t.Context(), g.Reference); err == nil || errors.Is(err, provider.ErrNotFound) {
		t.Errorf("%+v, %v", found, err)
	}
	w.Advance(time.Minute)
	found, err := w.open().Lookup(t.Context(), g.Reference)
	if err != nil || found.Approved || found.DeclineCode != "generic_decline" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestLookupAfterTheWindow: when Chariot takes no more requests, none is sent, and the list decides.
func TestLookupAfterTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	arrived, _ := w.authorized(t, 0)
	lost, _ := w.authorized(t, 0)
	for _, of := range []struct {
		g   provider.Grant
		how fake.Fault
	}{{arrived, fake.LoseAnswer}, {lost, fake.LoseCall}} {
		w.Fail(grants, of.how)
		if answer, err := w.open().Grant(t.Context(), of.g); err == nil {
			t.Fatalf("%+v", answer)
		}
	}
	for range 120 { // grants of others, on pages before and after
		w.Capture(w.Authorize(fake.Session{ConnectID: w.enrolled(t), Amount: gift}), gift)
	}
	w.Advance(w.open().SettleWindow())
	w.Requests()
	if found, err := w.open().Lookup(t.Context(), arrived.Reference); err != nil || !found.Approved {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := w.open().Lookup(t.Context(), lost.Reference); !errors.Is(err, provider.ErrNotFound) {
		t.Errorf("%+v, %v", found, err)
	}
	for _, r := range w.Requests() {
		if r.Method != "GET" {
			t.Errorf("%s %s", r.Method, r.Path)
		}
	}
	w.Fail("GET /v1/grants", fake.Broken)
	if found, err := w.open().Lookup(t.Context(), lost.Reference); err == nil || errors.Is(err, provider.ErrNotFound) {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestForgedSession: a session that Chariot does not have leaves the outcome unknown, and the look-up finds nothing.
func TestForgedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	visitID := w.visit(t)
	ok(t, w.open().Succeeded(t.Context(), visitID, success("00000000-forged", gift)))
	g := provider.Grant{Reference: w.reference(), VisitID: visitID, Amount: gift}
	if answer, err := w.open().Grant(t.Context(), g); err == nil {
		t.Errorf("%+v", answer)
	}
	for range 2 {
		if found, err := w.open().Lookup(t.Context(), g.Reference); !errors.Is(err, provider.ErrNotFound) {
			t.Errorf("%+v, %v", found, err)
		}
		w.Advance(w.open().SettleWindow())
	}
}

// TestSessionSpentByAnother: a session that became another amount's grant elsewhere is no grant of ours. If an earlier
// request of ours may have arrived, that is only known once Chariot takes no more requests of the session.
func TestSessionSpentByAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, session := w.authorized(t, 0)
	w.Capture(session, gift+100)
	for range 2 {
		answer, err := w.open().Grant(t.Context(), g)
		if err != nil || answer.Approved || answer.DeclineCode != "session_already_used" {
			t.Errorf("%+v, %v", answer, err)
		}
	}
	unsure, session := w.authorized(t, 0)
	w.Fail("POST /v1/grants", fake.LoseCall)
	if answer, err := w.open().Grant(t.Context(), unsure); err == nil {
		t.Errorf("%+v", answer)
	}
	w.Capture(session, gift+200)
	if answer, err := w.open().Lookup(t.Context(), unsure.Reference); err == nil ||
		errors.Is(err, provider.ErrNotFound) {
		t.Errorf("%+v, %v", answer, err)
	}
	w.Advance(w.open().SettleWindow() + time.Second)
	answer, err := w.open().Lookup(t.Context(), unsure.Reference)
	if err != nil || answer.Approved || answer.DeclineCode != "session_already_used" {
		t.Errorf("%+v, %v", answer, err)
	}
	lines, err := w.open().Book(t.Context(), 0, 10)
	if err != nil || len(lines) != 2 || lines[0].Reference != g.Reference || lines[0].Amount != gift+100 ||
		lines[1].Reference != unsure.Reference {
		t.Errorf("%+v, %v", lines, err)
	}
}

// TestWhatIsSent is the request for a grant: the donor only if not anonymous, and a note of at most 400 characters.
func TestWhatIsSent(t *testing.T) {
	t.Parallel()
	for _, anonymous := range []bool{false, true} {
		w := newWorld(t)
		pages, err := w.open().
			Visit(t.Context(), provider.Visit{Reference: w.reference(), Account: account, ConnectID: w.enrolled(t),
				FundID: w.fund(t, "Cedar"), Amount: gift, Return: "https://pay.example/back",
				Donor: provider.Donor{
					FirstName: "Dana",
					Email:     "dana@example.org",
					Note:      strings.Repeat("é", 500),
					Anonymous: anonymous,
				}})
		ok(t, err)
		session := w.authorize(t, pages.VisitID, gift, 0)
		w.Requests()
		if _, err := w.open().Grant(t.Context(), provider.Grant{Reference: w.reference(), VisitID: pages.VisitID,
			Amount: gift}); err != nil {
			t.Fatal(err)
		}
		var sent map[string]any
		r := w.Requests()[0]
		ok(t, json.Unmarshal(r.Body, &sent))
		want := map[string]any{"workflowSessionId": session, "amount": float64(gift), "note": strings.Repeat("é", 400)}
		if !anonymous {
			want["donor"] = map[string]any{"firstName": "Dana", "email": "dana@example.org"}
		}
		if fmt.Sprint(sent) != fmt.Sprint(want) || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%v", sent)
		}
	}
}

// TestReportedFee: the fee of Chariot and the fund is kept as reported, without that of an application.
func TestReportedFee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.granted(t)
	fee, err := pg.Value[int64](
		t.Context(),
		w.pool,
		`SELECT provider_fee FROM chariot_grants WHERE reference = @reference`,
		pg.Args{"reference": g.Reference},
	)
	if err != nil || fee != gift*29/1000 {
		t.Errorf("%d, %v", fee, err)
	}
}
