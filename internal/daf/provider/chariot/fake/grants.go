package fake

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// The statuses of grants.
const (
	initiated = "Initiated"
	completed = "Completed"
	canceled  = "Canceled"
)

// grant is a grant.
type grant struct {
	ID, Tracking         string
	session              *session
	amount, fee          int64
	status, note         string
	donor                any
	createdAt, updatedAt time.Time
}

// Session is what a donor authorizes in the component.
type Session struct {
	ConnectID, FundID string
	Amount            int64  // cents
	Balance           int64  // cents, of the donor's account
	Reference         string // in the metadata
}

// Authorize has a donor authorize a grant, and returns the workflow session that the component reports. A balance of 0
// is enough for any grant.
func (f *Fake) Authorize(s Session) string {
	defer f.locked()()
	one := &session{ID: f.uuid(), Connect: s.ConnectID, Fund: s.FundID, Reference: s.Reference, Balance: s.Balance,
		AuthorizedAt: f.now}
	f.sessions[one.ID] = one
	return one.ID
}

// capture makes the grant of a session, or returns it.
func (f *Fake) capture(c call) (int, any) {
	var in struct {
		Session string `json:"workflowSessionId"`
		Amount  int64  `json:"amount"`
		Fee     int64  `json:"applicationFeeAmount"`
		Donor   any    `json:"donor"`
		Note    string `json:"note"`
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return problem(http.StatusBadRequest)
	}
	s := f.sessions[in.Session]
	if s == nil {
		return problem(http.StatusNotFound)
	}
	if s.grant != nil {
		return http.StatusOK, f.shown(s.grant)
	}
	fee := in.Amount * 29 / 1000
	switch {
	case f.now.Sub(s.AuthorizedAt) > captureLife:
		return problem(http.StatusGone)
	case in.Amount < 1, in.Amount%100 != 0, in.Amount < f.fund(s.Fund).Minimum,
		s.Balance > 0 && in.Amount > s.Balance, (fee+in.Fee)*20 > in.Amount:
		return problem(http.StatusBadRequest)
	}
	s.grant = &grant{ID: f.uuid(), Tracking: fmt.Sprintf("TRK%07d", f.serial%10_000_000), session: s,
		amount: in.Amount, fee: fee, status: initiated, note: in.Note[:min(len(in.Note), 400)], donor: in.Donor,
		createdAt: f.now, updatedAt: f.now}
	f.grants = append(f.grants, s.grant)
	f.event("grant.created", "grant", s.grant.ID)
	return http.StatusCreated, f.shown(s.grant)
}

// shown is a grant as the API shows it.
func (f *Fake) shown(g *grant) object {
	status := g.status
	if f.beta {
		status = strings.ToLower(status)
	}
	const layout = "2006-01-02 15:04:05.000"
	return object{"id": g.ID, "trackingId": g.Tracking, "workflowSessionId": g.session.ID, "fundId": g.session.Fund,
		"amount": g.amount, "status": status, "note": g.note,
		"createdAt": g.createdAt.UTC().Format(layout), "updatedAt": g.updatedAt.UTC().Format(layout),
		"metadata": object{"reference": g.session.Reference},
		"feeDetail": object{"total": g.fee, "contributions": []object{
			{"name": "Chariot", "amount": g.fee - g.fee/2, "feeType": "chariot"},
			{"name": "DAF", "amount": g.fee / 2, "feeType": "daf"},
			{"name": "Platform", "amount": 7, "feeType": "fundraising_application"}}}}
}

func (f *Fake) readGrant(c call) (int, any) {
	return read(f.grants, func(g *grant) bool { return g.ID == c.id }, f.shown)
}

func (f *Fake) listGrants(c call) (int, any) {
	id := c.query.Get("connect_id")
	found := those(f.grants, func(g *grant) bool { return id == "" || g.session.Connect == id }, f.shown)
	return page(found, c.query, "pageLimit", "pageToken", 10)
}

func (f *Fake) listUnintegrated(c call) (int, any) {
	id := c.query.Get("connect_id")
	found := those(f.unintegrated, func(g unintegrated) bool { return id == "" || g.connect == id },
		func(g unintegrated) object { return g.shown })
	return page(found, c.query, "pageLimit", "pageToken", 10)
}

// end sets the status of a grant.
func (f *Fake) end(g *grant, status string) {
	g.status, g.updatedAt = status, f.now
	f.event("grant.updated", "grant", g.ID)
	if status == completed {
		f.deposit(g)
	}
}

// simulate completes or cancels a grant, as in Chariot's sandbox.
func (f *Fake) simulate(c call) (int, any) {
	id, what, _ := strings.Cut(c.id, "/")
	i := slices.IndexFunc(f.grants, func(g *grant) bool { return g.ID == id })
	status := map[string]string{"complete": completed, "cancel": canceled}[what]
	switch {
	case i < 0 || status == "":
		return problem(http.StatusNotFound)
	case f.grants[i].status != initiated:
		return problem(http.StatusBadRequest)
	}
	f.end(f.grants[i], status)
	return http.StatusAccepted, object{}
}

// SetStatus gives the grant with a tracking id any status.
func (f *Fake) SetStatus(tracking, status string) {
	defer f.locked()()
	for _, g := range f.grants {
		if g.Tracking == tracking {
			f.end(g, status)
		}
	}
}

// Capture makes the grant of a session for another client of the same account.
func (f *Fake) Capture(sessionID string, amount int64) {
	defer f.locked()()
	body, _ := json.Marshal(object{"workflowSessionId": sessionID, "amount": amount}) // texts and numbers
	f.capture(call{body: body})
}

// Made is a grant. Reference is what the page put into the metadata of its session.
type Made struct {
	Session, Reference, Tracking, Status string
	Amount                               int64 // cents
}

// Made lists the grants, for tests that compare them with the records of donations.
func (f *Fake) Made() (all []Made) {
	defer f.locked()()
	for _, g := range f.grants {
		all = append(all, Made{g.session.ID, g.session.Reference, g.Tracking, g.status, g.amount})
	}
	return all
}

// Grants is how many grants there are.
func (f *Fake) Grants() int {
	defer f.locked()()
	return len(f.grants)
}

// Events are the ids of the events, in their order.
func (f *Fake) Events() (ids []string) {
	defer f.locked()()
	for _, e := range f.events {
		ids = append(ids, e["id"].(string))
	}
	return ids
}

// Webhook is the request that delivers an event, signed now.
func (f *Fake) Webhook(event string) (http.Header, []byte) {
	defer f.locked()()
	for _, e := range f.events {
		if e["id"] == event {
			body, _ := json.Marshal(e) // texts and times
			return http.Header{
				"Content-Type":              {"application/json"},
				"Chariot-Webhook-Signature": {Sign(f.Secret, f.now, body)},
			}, body
		}
	}
	return nil, nil
}

// Sign is the signature of a body.
func Sign(secret string, at time.Time, body []byte) string {
	t := at.UTC().Format(time.RFC3339)
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%s.%s", t, body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
