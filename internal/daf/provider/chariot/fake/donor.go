package fake

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

// The component for browsers, and the pages on which a donor signs in.
var (
	//go:embed pages/component.js
	component []byte
	//go:embed pages/donate.html
	donateText string

	donatePage = template.Must(template.New("donate").Parse(donateText))
)

// Username and Password are those of the donor of every fund.
const (
	Username = "good-user"
	Password = "password123"
)

// Reasons are those for which the component is left, which a donor of the fake can choose from.
var Reasons = []string{"USER_EXIT", "UNINTEGRATED_DAF", "UNINTEGRATED_DAF_NOT_SUPPORTED", "CREDENTIALS_ERROR",
	"TFA_ERROR", "INSTITUTION_DOWN_ERROR", "NO_CHARITABLE_ACCOUNTS", "CID_NOT_FOUND", "INELIGIBLE_ORGANIZATION",
	"SERVICE_DEACTIVATED", "SESSION_NOT_FOUND", "RECURRING_NOT_SUPPORTED", "SOMETHING_NEW"}

// started is a session that a donor began in the component, and has not authorized yet.
type started struct {
	connect, fund, reference string
	amount                   int64
}

// gift is what a page passes to the component.
type gift struct {
	Amount   int64  `json:"amount"`
	FundID   string `json:"fundId"`
	Metadata struct {
		Reference string `json:"reference"`
	} `json:"metadata"`
}

// serveDonor answers the requests of donors' browsers, which need no key, and reports whether it is one.
func (f *Fake) serveDonor(w http.ResponseWriter, r *http.Request) bool {
	path, below := strings.CutPrefix(r.URL.Path, "/donate/")
	switch {
	case r.URL.Path == "/chariot-connect.umd.js":
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(component) // the browser may be gone
	case r.URL.Path == "/donate":
		f.begin(w, r)
	case path == "wait":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><title>DAFpay</title><p>One moment…</p>"))
	case below && r.Method == http.MethodPost:
		id, what, _ := strings.Cut(path, "/")
		f.decide(w, r, id, what)
	default:
		return false
	}
	return true
}

// begin starts a session and shows its page. One that can't go on ends at once, with a reason.
func (f *Fake) begin(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	var g gift
	to, err := url.Parse(query.Get("origin"))
	if json.Unmarshal([]byte(query.Get("gift")), &g) != nil || err != nil || to.Host == "" {
		http.Error(w, "this is not what the component asks for", http.StatusBadRequest)
		return
	}
	defer f.locked()()
	id, name, reason := f.uuid(), "", "CID_NOT_FOUND"
	for _, c := range f.connects {
		if o, ok := f.findOrganization(c.Organization); c.ID == query.Get("cid") && ok {
			name, reason = o.Name, ""
			if !o.Eligible {
				reason = "INELIGIBLE_ORGANIZATION"
			}
		}
	}
	if f.fund(g.FundID).Down && reason == "" {
		reason = "INSTITUTION_DOWN_ERROR"
	}
	f.started[id] = started{query.Get("cid"), g.FundID, g.Metadata.Reference, g.Amount}
	var page bytes.Buffer
	err = donatePage.Execute(&page, map[string]any{"Session": id, "Origin": to.Scheme + "://" + to.Host,
		"Reason": reason, "Organization": name, "Funds": f.funds, "FundID": g.FundID, "Reasons": Reasons,
		"Username": Username, "Password": Password,
		"Dollars": fmt.Sprint(g.Amount / 100)})
	if err != nil {
		http.Error(w, "the page cannot be drawn", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = page.WriteTo(w) // the browser may be gone
}

// decide takes the donor's decision about a session.
func (f *Fake) decide(w http.ResponseWriter, r *http.Request, id, what string) {
	var in struct {
		Amount int64  `json:"amount"`
		Fund   string `json:"fund"`
	}
	err := json.NewDecoder(r.Body).Decode(&in)
	defer f.locked()()
	s, ok := f.started[id]
	fund := f.fund(in.Fund)
	if err != nil || !ok || fund.ID == "" || f.sessions[id] != nil {
		http.Error(w, "this session cannot be decided", http.StatusBadRequest)
		return
	}
	switch what {
	case "authorize":
		if !fund.Supported || in.Amount < 100 || in.Amount%100 != 0 || in.Amount < fund.Minimum {
			http.Error(w, "this amount cannot be authorized", http.StatusBadRequest)
			return
		}
		f.sessions[id] = &session{ID: id, Connect: s.connect, Fund: fund.ID, Reference: s.reference,
			AuthorizedAt: f.now}
	case "confirm":
		f.confirm(id, s.connect, fund.ID, s.amount)
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object{"grantIntent": object{"userFriendlyId": "FAKE" + id[len(id)-4:],
		"fundId": fund.ID, "amount": in.Amount, "metadata": object{"reference": s.reference}}})
}

// unintegrated is a grant that a donor makes himself, as the API shows it.
type unintegrated struct {
	connect string
	shown   object
}

// confirm records that a donor makes a grant himself.
func (f *Fake) confirm(id, connect, fund string, amount int64) {
	of := f.uuid()
	f.unintegrated = append(f.unintegrated, unintegrated{connect, object{"id": of, "workflowSessionId": id,
		"fundId": fund, "amount": amount, "status": "Unknown", "paymentChannel": "offline",
		"createdAt": f.now.UTC().Format("2006-01-02 15:04:05.000")}})
	f.event("unintegrated_grant.created", "unintegrated_grant", of)
}

// Confirm has a donor confirm a grant that he makes himself, and returns the workflow session that the component
// reports.
func (f *Fake) Confirm(s Session) string {
	defer f.locked()()
	id := f.uuid()
	f.confirm(id, s.ConnectID, s.FundID, s.Amount)
	return id
}
