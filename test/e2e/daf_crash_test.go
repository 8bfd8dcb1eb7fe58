package e2e

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/platform/pg"
)

// donationCrashes are ways to die while a donation is made, and while the provider's feed reports its end.
var donationCrashes = []string{"donation.claimed:1", "donation.called:1", "donation.finished:1", "daf_inbound.pulled:1",
	"daf_inbound.handled:1"}

// donationPoints are the points that these rows crash at.
func donationPoints() (points []string) {
	for _, arm := range donationCrashes {
		point, _, _ := strings.Cut(arm, ":")
		points = append(points, point)
	}
	return points
}

// TestKillAtEveryPointOfADonation: whatever point the server dies at, what a donor authorized becomes one donation
// with one grant, which is completed once.
func TestKillAtEveryPointOfADonation(t *testing.T) {
	t.Parallel()
	for _, arm := range donationCrashes {
		t.Run(arm, func(t *testing.T) {
			t.Parallel()
			killAtDonation(t, arm)
		})
	}
}

func killAtDonation(t *testing.T, arm string) {
	p := newPlace(t)
	p.takesDonations(t)
	s := p.serve(t, chaosProgram, "SVCPAY_CRASH_POINT="+arm)
	body := map[string]any{"merchant_id": p.app.Merchants.US, "amount": 12500, "workflowSessionId": s.authorized(t),
		"anonymous": true}
	give := func(s *server) (answer, error) {
		return s.api("POST", "/api/dafDonations", body, map[string]string{"Idempotency-Key": "gift"})
	}
	a, err := give(s)
	if told := strings.HasPrefix(arm, "daf_inbound"); told {
		if err != nil || a.status != http.StatusCreated {
			t.Fatalf("%v, %s", err, a)
		}
		p.ahead(t, 20*24*time.Hour)
	} else if err == nil {
		t.Fatalf("it was answered: %s", a)
	}
	if state := s.ended(t, patience); !killed(state) {
		t.Fatalf("not a kill: %s", state)
	}
	s = p.serve(t, program)
	p.ahead(t, 20*24*time.Hour)
	// the provider never got it: nothing is sent under a new reference
	unsent := strings.HasPrefix(arm, "donation.claimed")
	end := "completed"
	if unsent {
		end = "canceled"
	}
	eventually(t, patience+30*time.Second, "the end of the donation", func() bool {
		_, _ = give(s) // as a client does that got no answer
		return value[int64](t, p, `SELECT count(*) FROM daf_donations WHERE status = @status`,
			pg.Args{"status": end}) == 1
	})
	want := map[string]int64{"donations": 1, "grants": 1, "events taken in": 1, "events of creation": 1,
		"events of completion": 1}
	if unsent {
		want["grants"], want["events taken in"], want["events of completion"] = 0, 0, 0
	}
	for what, sql := range map[string]string{
		"donations": `SELECT count(*) FROM daf_donations`,
		"grants":    `SELECT count(*) FROM sandbox_daf_grants`,
		"events taken in": `SELECT count(*) FROM inbound_events
			WHERE feed LIKE 'daf/%' AND handled_at IS NOT NULL`,
		"events of creation":   `SELECT count(*) FROM events WHERE type = 'daf_donation.created'`,
		"events of completion": `SELECT count(*) FROM events WHERE type = 'daf_donation.completed'`,
	} {
		eventually(t, patience, what, func() bool { return value[int64](t, p, sql, pg.Args{}) == want[what] })
	}
}

// takesDonations has the US merchant take donations from donor-advised funds.
func (p *place) takesDonations(t *testing.T) {
	t.Helper()
	env := []string{"DATABASE_URL=" + p.url, "SVCPAY_ENVIRONMENT=sandbox"}
	if status, text := launch(t, program, env, "daf", "enroll-eligible", "--apply").exits(t); status != 0 {
		t.Fatalf("%d\n%s", status, text)
	}
	if _, err := pg.Exec(t.Context(), p.pool, `UPDATE merchants SET has_daf_provider = true
		WHERE id = @id`, pg.Args{"id": p.app.Merchants.US}); err != nil {
		t.Fatal(err)
	}
}

// authorized has a donor go through the modal and authorize 125.00, and returns the workflowSessionId.
func (s *server) authorized(t *testing.T) string {
	t.Helper()
	a, err := s.send(s.payHost, "POST", "/client/daf", map[string]any{"session": s.session(t), "amount": 12500}, nil)
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("%v, %s", err, a)
	}
	way := a.text("path")
	visit := s.form(t, way+"/fund", "fund", "fund_evergreen")
	s.form(t, visit+"/sign-in", "username", "single@fund.example", "password", dafsandbox.Password)
	if back := s.form(t, visit+"/authorize", "amount", "125"); back != "http://pay.test"+way+"/return" {
		t.Fatalf("the fund leads to %s", back)
	}
	page, err := s.send(s.payHost, "GET", way+"/return", nil, nil) // leads to the last page
	found := regexp.MustCompile(`ws_[a-z2-7]+`).Find(page.body)
	if err != nil || found == nil {
		t.Fatalf("%v, %s", err, page)
	}
	return string(found)
}

// form sends a form of the pay origin and returns where it leads.
func (s *server) form(t *testing.T, path string, values ...string) string {
	t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+s.addr+path,
		strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = s.payHost
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	stay := *fresh
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := stay.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	next := answer.Header.Get("Location")
	if answer.StatusCode != http.StatusSeeOther || next == "" {
		t.Fatalf("%s: %s", path, answer.Status)
	}
	return next
}
