package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/provider/connection"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
	"svcpay/internal/vault"
	"svcpay/test/rig"
)

// donors is how many clients make donations.
const donors = 6

// chariotSide is Chariot, which lives longer than any server: a fake with its moods and the network to it.
type chariotSide struct {
	*fake.Fake
	moods    *moods
	network  *proxy
	adapter  *chariot.Provider // of the run's own, which reaches the fake without a network between
	later    *chariot.Provider // the same, two hours later
	merchant int64
}

// chariotSpoils are those of Chariot. It has no idempotency keys: 409 says that it is processing a grant.
var chariotSpoils = append([]string{"429", "409, done"}, spoilNames...)

// openChariot makes a Chariot that is reached over a faulty network.
func (r *run) openChariot(keys *vault.Keys, merchant int64) *chariotSide {
	f := fake.New(time.Now())
	s := &chariotSide{Fake: f, merchant: merchant}
	checked := described.Serve(r.t, f)
	s.moods = &moods{name: "Chariot", inner: checked,
		submits: func(r *http.Request) bool { return r.Method == http.MethodPost },
		names:   chariotSpoils, among: 24, counts: &r.counts, calm: &r.calm, chance: newChance(r.seed, 9)}
	faulty := serve(r.t, s.moods)
	s.network = newProxy(r.t, func() (net.Conn, error) { return net.Dial("tcp", faulty) })
	config := chariot.Config{Pool: r.database.pool, API: "http://" + serve(r.t, checked), PagesOrigin: "http://giving.test",
		Credentials: connection.NewKeyring(r.database.pool, keys.Secrets).Credentials(chariot.Name), Now: time.Now}
	s.adapter = chariot.New(config)
	config.Now = later
	s.later = chariot.New(config)
	return s
}

// later is two hours after now, when everything has been reported.
func later() time.Time { return time.Now().Add(2 * time.Hour) }

// enroll connects the deployment with Chariot, and has a person of the merchant's organization enroll the merchant.
func (r *run) enroll(keys *vault.Keys, check authz.Checker, app demo.Application) {
	ctx, s := r.t.Context(), r.services
	connected := connection.New(connection.Deps{Pool: r.database.pool, Check: check, Now: time.Now, Box: keys.Secrets,
		Provider: r.chariot.adapter})
	_, err := connected.Connect(ctx, r.operator(), sensitive.NewCredentials(r.chariot.Key+" "+r.chariot.Secret))
	if err != nil {
		r.t.Fatal(err)
	}
	owner, err := s.Merchants.Update(ctx, authz.Actor{Role: authz.RoleSecretKey, ApplicationID: app.AppID},
		r.chariot.merchant, merchant.UpdateInput{HasDAFProvider: patch.Set(true), Nonprofit: patch.Set(true)}, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	by := authz.Actor{Role: authz.RoleOrganizationAdmin, ApplicationID: app.AppID, OrganizationID: app.OrganizationID}
	by.PersonID, err = s.Identity.CreatePerson(ctx, identity.NewPerson{Email: "ola@riverside.example",
		Name: "Ola Maria Nord", Password: "correct horse battery",
		Grants: []identity.Grant{{Role: string(authz.RoleOrganizationAdmin), Scope: string(authz.ScopeOrganization),
			ScopeID: app.OrganizationID}}})
	if err != nil {
		r.t.Fatal(err)
	}
	found, err := s.DAF.LookUp(ctx, by, daf.LookUpInput{MerchantID: r.chariot.merchant, EIN: *owner.Object.EIN})
	if err != nil || found.Organization == nil {
		r.t.Fatalf("%+v, %v", found, err)
	}
	e, err := s.DAF.Enroll(ctx, by, daf.EnrollInput{MerchantID: r.chariot.merchant, EIN: *owner.Object.EIN,
		Name: found.Organization.Name})
	if err != nil || e.State != daf.Enrolled {
		r.t.Fatalf("%+v, %v", e, err)
	}
}

// donate authorizes donations, as a donor's browser does, and makes them, until the run is over.
func (r *run) donate(i int) {
	c := &client{run: r, number: clients + stripeClients + 300 + i, chance: newChance(r.seed, uint64(300+i))}
	for !r.over.Load() {
		amount := money.Amount(1+c.chance.IntN(900)) * money.Dollar
		id, err := c.authorize(amount)
		if err != nil || id == "" { // the database is down
			c.rest()
			continue
		}
		q := c.want("donation", "/api/dafDonations", map[string]any{"merchant_id": r.chariot.merchant,
			"workflowSessionId": id, "amount": int(amount), "anonymous": true})
		c.insist(q)
		if c.chance.IntN(4) == 0 {
			c.repeat()
		}
		c.rest()
	}
}

// authorize has a donor authorize a donation in Chariot's component on the pages of the modal, and returns the id that
// the merchant's page gets.
func (c *client) authorize(amount money.Amount) (id string, err error) {
	ctx, ways := c.t.Context(), c.services.Workflows
	session, err := c.services.Tokens.OpenSession(ctx, token.SessionInput{PublicKey: c.site.Public,
		MerchantID: c.chariot.merchant, PageOrigin: "http://shop.test"})
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	begun, err := ways.Begin(ctx, workflow.BeginInput{SessionID: session.ID, Amount: &amount})
	if err != nil {
		return "", fmt.Errorf("begin: %w", err)
	}
	funds, err := ways.Funds(ctx, "Cedar")
	if err != nil || len(funds) == 0 {
		return "", fmt.Errorf("funds: %w", err)
	}
	way, err := ways.Choose(ctx, begun.Secret, funds[0].ID, "http://pay.test/back")
	if err != nil {
		return "", fmt.Errorf("choose: %w", err)
	}
	look, err := c.chariot.adapter.Look(ctx, way.VisitID)
	if err != nil {
		return "", fmt.Errorf("look: %w", err)
	}
	authorized := c.chariot.Authorize(fake.Session{ConnectID: look.ConnectID, FundID: look.FundID,
		Amount: int64(amount), Reference: look.Reference})
	if err := c.chariot.adapter.Succeeded(ctx, way.VisitID,
		chariot.Success{Session: authorized, Amount: amount}); err != nil {
		return "", fmt.Errorf("report: %w", err)
	}
	if _, _, err := ways.Returned(ctx, begun.Secret); err != nil {
		return "", fmt.Errorf("return: %w", err)
	}
	way, err = ways.Get(ctx, begun.Secret)
	return way.SessionID, err
}

// report has the fake's grants end, and its events reported to the servers.
func (s *chariotSide) report(r *run) {
	s.Advance(time.Since(s.Now()))
	h := &hooks{run: r, of: "Chariot", chance: newChance(r.seed, 10), forge: func(body []byte) http.Header {
		return http.Header{"Content-Type": {"application/json"},
			"Chariot-Webhook-Signature": {fake.Sign("forged", time.Now(), body)}}
	}}
	go s.Run(r.t.Context(), "http://"+serve(r.t, h)+"/hooks/daf/"+chariot.Name)
	chance := newChance(r.seed, 11)
	go func() {
		for tick := time.NewTicker(2 * time.Second); ; {
			select {
			case <-r.t.Context().Done():
				tick.Stop()
				return
			case <-tick.C:
				s.end(chance)
			}
		}
	}()
}

// The statuses of grants at Chariot, and what a long run must have.
var grantStatuses = []string{"Completed", "Canceled"}

// end completes or cancels about half of the grants that are on their way.
func (s *chariotSide) end(chance *rand.Rand) {
	for _, g := range s.Made() {
		if n := chance.IntN(6); g.Status == "Initiated" && n < 3 {
			s.SetStatus(g.Tracking, grantStatuses[n/2])
		}
	}
}

// statuses counts the grants by their status.
func (s *chariotSide) statuses() map[string]int {
	n := map[string]int{}
	for _, status := range grantStatuses {
		n["Chariot: "+status] = 0
	}
	for _, g := range s.Made() {
		n["Chariot: "+g.Status]++
	}
	return n
}

// donation is one in our records, with its workflow session at Chariot.
type donation struct {
	ID      string       `db:"id"`
	Session *string      `db:"session"`
	Amount  money.Amount `db:"amount"`
	Status  string       `db:"status"`
	Refused bool         `db:"refused"` // it was given up or declined
}

// donationsDiffer compares the grants at Chariot with our donations, and returns a line for each difference. All grants
// must have ended.
func (r *run) donationsDiffer(ctx context.Context) (found []string, err error) {
	all, err := pg.All[donation](ctx, r.database.pool, `
		SELECT d.id::text AS id, v.session, d.amount, d.status, o.state <> 'approved' AS refused
		FROM daf_donations d
		JOIN processor_operations o ON o.application_id = d.application_id AND o.subject_id = d.id AND o.kind = 'grant'
		LEFT JOIN chariot_grants g ON g.reference = o.reference LEFT JOIN chariot_visits v ON v.id = g.visit_id
		WHERE d.application_id = @app`, pg.Args{"app": r.site.Application})
	if err != nil {
		return nil, fmt.Errorf("donations: %w", err)
	}
	ours := map[string]donation{}
	for _, d := range all {
		if d.Session == nil {
			if !d.Refused || d.Status != "canceled" {
				found = append(found, fmt.Sprintf("the donation %+v has no session", d))
			}
			continue
		}
		if before, twice := ours[*d.Session]; twice && !before.Refused && !d.Refused {
			found = append(found, fmt.Sprintf("two donations of one session: %+v, %+v", before, d))
		}
		if _, there := ours[*d.Session]; !there || !d.Refused {
			ours[*d.Session] = d
		}
	}
	seen := map[string]bool{}
	for _, g := range r.chariot.Made() {
		d, there := ours[g.Session]
		want := map[string]string{"Completed": "completed", "Canceled": "canceled"}[g.Status]
		if !there || d.Refused || d.Status != want || d.Amount != money.Amount(g.Amount) || seen[g.Session] {
			found = append(found, fmt.Sprintf("Chariot has %+v, and we have %+v", g, d))
		}
		seen[g.Session] = true
	}
	for session, d := range ours {
		if !seen[session] && !d.Refused {
			found = append(found, fmt.Sprintf("Chariot does not have %+v", d))
		}
	}
	return found, nil
}

// watchGrants finds grants whose donations were given up or declined.
func (r *run) watchGrants(ctx context.Context) error {
	unsent, err := r.unsent(ctx, "grant")
	if err != nil {
		return err
	}
	sessions, err := pg.Value[[]string](ctx, r.database.pool, `
		SELECT coalesce(array_agg(v.session), '{}') FROM chariot_grants g JOIN chariot_visits v ON v.id = g.visit_id
		WHERE g.reference = ANY (@unsent)`, pg.Args{"unsent": unsent})
	if err != nil {
		return fmt.Errorf("sessions: %w", err)
	}
	for _, g := range r.chariot.Made() {
		if slices.Contains(sessions, g.Session) {
			r.found.add("the donation of a grant was given up: %+v", g)
		}
	}
	return nil
}

// auditDonations compares the donations with the grants and with the clients' answers, and reconciles them.
func (r *run) auditDonations(ctx context.Context) {
	found, err := r.donationsDiffer(ctx)
	if err != nil {
		r.found.add("%v", err)
	}
	for _, what := range found {
		r.found.add("%s", what)
	}
	run := r.atLater.ReconcileGrants
	if _, err := run.RunNow(ctx); err != nil {
		r.found.add("the reconciliation with Chariot: %v", err)
	}
	open, err := run.Open(ctx)
	if err != nil {
		r.found.add("the reconciliation with Chariot: %v", err)
	}
	for _, d := range open {
		r.found.add("reconciliation with Chariot: %+v", d)
	}
	kept, err := pg.Value[int](ctx, r.database.pool, `SELECT count(*)::int FROM daf_donations
		WHERE application_id = @app`, pg.Args{"app": r.site.Application})
	told := 0
	for _, q := range r.journal.entries() {
		if q.Kind == "donation" && q.kept() {
			told++
		}
	}
	if err != nil || told != kept {
		r.found.add("clients were told of %d donations, and there are %d: %v", told, kept, err)
	}
}

// ofDonations is what must be true of donations at every instant.
var ofDonations = []rig.Audit{
	{What: "donations without one event a version", SQL: `
		SELECT d.id || ' ' || d.status || ' ' || d.version || ' ' || e.n AS wrong FROM daf_donations d,
			LATERAL (SELECT count(*) AS n FROM events e WHERE e.application_id = d.application_id
				AND e.object_id = d.id
				-- reported next to the update to that status
				AND e.type NOT IN ('daf_donation.completed', 'daf_donation.canceled')) e
		WHERE d.application_id = @app AND d.version <> e.n`},
	{What: "donations that ended more than once", SQL: `
		SELECT object_id::text AS wrong FROM events
		WHERE application_id = @app AND type IN ('daf_donation.completed', 'daf_donation.canceled')
		GROUP BY object_id HAVING count(*) > 1`},
	{What: "authorizations of more than one donation", SQL: `
		SELECT v.session AS wrong FROM chariot_grants g JOIN chariot_visits v ON v.id = g.visit_id
		WHERE g.answer IS NULL OR g.answer->>'approved' = 'true' GROUP BY v.session HAVING count(*) > 1`},
}
