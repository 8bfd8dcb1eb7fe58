// Package fake is a server that behaves as Chariot's API does for the requests of the adapter, with a state of its own
// and a clock that a test moves. It has a component for browsers, and pages on which a donor authorizes; tests without
// a browser use [Fake.Authorize] instead. It is written from what is publicly known of Chariot, and it is for tests: it
// has no limits.
package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// object is an object of the API.
type object = map[string]any

// Organization is an organization of the directory.
type Organization struct {
	ID, EIN, Name, City, State string // the EIN has nine digits
	Subsection                 int
	Eligible, Pub78, Claimed   bool
	// Domain is that of the email addresses that Chariot accepts as its contact.
	Domain string
}

// Fund is a DAF. Amounts are in cents.
type Fund struct {
	ID, Name  string
	Supported bool
	Minimum   int64
	Down      bool
}

// Request is a request as the server got it.
type Request struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
}

// Fault is what is wrong with an answer.
type Fault int

// The faults. Each happens once for each time that it is set.
const (
	LoseAnswer Fault = iota + 1 // the request is executed, and the connection closed
	LoseCall                    // the connection is closed before
	TooMany                     // 429
	Broken                      // 500
	Processing                  // 409
	Proxy                       // 400 of a proxy, which Chariot never got
	Forbidden                   // 403
	Refused                     // 400 of Chariot
	Garbled                     // the request is executed, and its answer is not JSON
)

// Times of the server.
const (
	captureLife   = 15 * time.Minute
	completeAfter = 5 * 24 * time.Hour
	eventLife     = 30 * 24 * time.Hour
)

// Fake is the server. Its methods may be called from several goroutines.
type Fake struct {
	Key, Secret string // the API key, and the signing secret of the event subscription

	mu            sync.Mutex
	now           time.Time
	serial        int
	organizations []Organization
	funds         []Fund
	connects      []*connect
	started       map[string]started
	sessions      map[string]*session
	grants        []*grant
	unintegrated  []unintegrated
	events        []object
	reported      []string // the ids of all events that ever were
	requests      []Request
	faults        map[string][]Fault
	busy          bool
	beta          bool
	latestFirst   bool
	silent        bool
	plainErrors   bool
	noDeposits    bool
	deposits      []*deposit
}

// connect is an organization's enrollment.
type connect struct {
	ID, Organization, Name string
}

// session is a donor's workflow session.
type session struct {
	ID, Connect, Fund, Reference string
	Balance                      int64
	AuthorizedAt                 time.Time
	grant                        *grant
}

// New makes a server with some organizations and funds.
func New(now time.Time) *Fake {
	return &Fake{Key: "sk_test_fake", Secret: "signing-secret-of-the-fake", now: now, started: map[string]started{},
		sessions: map[string]*session{},
		faults:   map[string][]Fault{}, organizations: organizations(), funds: funds()}
}

func organizations() []Organization {
	of := func(id, ein, name, city, state string) Organization {
		return Organization{ID: "org_" + id, EIN: ein, Name: name, City: city, State: state, Subsection: 3,
			Eligible: true,
			Pub78:    true, Domain: id + ".example"}
	}
	good := of("neighborhood", "202000007", "Neighborhood Fund No. 07", "Dayton", "OH")
	lapsed := of("lantern", "131313130", "Lapsed Lantern Society", "Albany", "NY")
	barred := of("barred", "366000401", "Barred Harbor Trust", "Tampa", "FL")
	league := of("marlow", "526000400", "Civic League of Marlow", "Marlow", "MD")
	good.Claimed, lapsed.Pub78, barred.Eligible, league.Subsection = true, false, false, 4
	return []Organization{good, of("riverside", "043567500", "Riverside Food Bank Inc", "Salem", "OR"), lapsed,
		of("shelter", "931234567", "Riverside Animal Shelter", "Salem", "OR"), barred, league}
}

func funds() []Fund {
	const id = "0b3f0f3e-0000-4000-8000-00000000000"
	return []Fund{
		{ID: id + "1", Name: "Aldergrove Charitable", Supported: true, Minimum: 50_00},
		{ID: id + "2", Name: "Boston Foundation"},
		{ID: id + "3", Name: "Cedar & Stone Giving", Supported: true},
		{ID: id + "4", Name: "Evergreen Philanthropic Trust", Supported: true, Minimum: 100_00, Down: true},
		{ID: id + "5", Name: "Juniper Family Foundations"},
	}
}

// Fail makes the next request to a "METHOD path", with :id for an id, fail in each of these ways in turn; 0 is none.
func (f *Fake) Fail(on string, how ...Fault) {
	defer f.locked()()
	f.faults[on] = append(f.faults[on], how...)
}

// Busy has every request refused with 429, until it is called with false.
func (f *Fake) Busy(yes bool) { f.set(func() { f.busy = yes }) }

// Beta has statuses spelled as in the API's beta version.
func (f *Fake) Beta(yes bool) { f.set(func() { f.beta = yes }) }

// PlainErrors has errors written as in the API's earlier versions.
func (f *Fake) PlainErrors(yes bool) { f.set(func() { f.plainErrors = yes }) }

// NoDeposits has the account not allowed to read deposits, until it is called with false.
func (f *Fake) NoDeposits(yes bool) { f.set(func() { f.noDeposits = yes }) }

// LatestFirst has lists of events begin with the latest.
func (f *Fake) LatestFirst(yes bool) { f.set(func() { f.latestFirst = yes }) }

// Silent has no events recorded, until it is called with false.
func (f *Fake) Silent(yes bool) { f.set(func() { f.silent = yes }) }

func (f *Fake) set(change func()) {
	defer f.locked()()
	change()
}

// locked locks the server's state, and returns the function that unlocks it.
func (f *Fake) locked() (unlock func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

// Now is the server's time.
func (f *Fake) Now() time.Time {
	defer f.locked()()
	return f.now
}

// Advance lets time pass: grants complete, and old events are forgotten.
func (f *Fake) Advance(d time.Duration) {
	defer f.locked()()
	until := f.now.Add(d)
	for _, g := range f.grants {
		if due := g.createdAt.Add(completeAfter); g.status == initiated && !due.After(until) {
			f.now = due
			f.end(g, completed)
		}
	}
	f.now = until
	f.events = slices.DeleteFunc(f.events,
		func(e object) bool { return until.Sub(e["created_at"].(time.Time)) > eventLife })
}

// Requests are those that came since they were last asked for.
func (f *Fake) Requests() []Request {
	defer f.locked()()
	all := f.requests
	f.requests = nil
	return all
}

func (f *Fake) id(prefix string) string {
	f.serial++
	return fmt.Sprintf("%s%08d", prefix, f.serial)
}

// uuid is an id of the form of Chariot's grants, sessions and events.
func (f *Fake) uuid() string { return "6f1c0a52-8c3e-4c55-9d4f-" + f.id("0000") }

// ServeHTTP implements [http.Handler].
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.serveDonor(w, r) {
		return
	}
	body := readAll(r)
	defer f.locked()()
	f.requests = append(f.requests, Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), body})
	name, id := nameOf(r)
	fault := f.faultOf(name)
	if fault == LoseCall {
		panic(http.ErrAbortHandler)
	}
	status, out := f.answer(r, name, id, body, fault)
	switch {
	case fault == LoseAnswer:
		panic(http.ErrAbortHandler)
	case fault == Garbled:
		_, _ = w.Write([]byte("<html>"))
		return
	case fault == Proxy:
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case status < http.StatusBadRequest:
	case f.plainErrors:
		out = object{"timestamp": f.now.UTC(), "code": status, "error": http.StatusText(status), "message": Secretive}
	default:
		w.Header().Set("Content-Type", "application/problem+json")
	}
	w.Header().Set("X-Request-Id", f.id("req-"))
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(out) // the client may be gone
}

func (f *Fake) faultOf(name string) (fault Fault) {
	if waiting := f.faults[name]; len(waiting) > 0 {
		fault, f.faults[name] = waiting[0], waiting[1:]
	}
	return fault
}

func (f *Fake) answer(r *http.Request, name, id string, body []byte, fault Fault) (int, any) {
	statuses := map[Fault]int{TooMany: http.StatusTooManyRequests, Broken: http.StatusInternalServerError,
		Processing: http.StatusConflict, Forbidden: http.StatusForbidden, Refused: http.StatusBadRequest}
	switch {
	case r.Header.Get("Authorization") != "Bearer "+f.Key:
		return problem(http.StatusUnauthorized)
	case f.busy:
		return problem(http.StatusTooManyRequests)
	case statuses[fault] != 0:
		return problem(statuses[fault])
	case f.noDeposits && ofDeposits(name):
		return problem(http.StatusForbidden)
	case fault == Proxy:
		return http.StatusBadRequest, nil
	}
	e, ok := endpoints[name]
	if !ok {
		return problem(http.StatusNotFound)
	}
	for parameter := range r.URL.Query() {
		if !slices.Contains(strings.Fields(e.parameters), parameter) {
			return problem(http.StatusBadRequest)
		}
	}
	return e.serve(f, call{r.URL.Query(), body, id})
}

// problem is an error of the API. Its detail repeats what no log may have.
func problem(status int) (int, any) {
	return status, object{"type": "about:blank", "title": "API Error", "status": status, "detail": Secretive}
}

// Secretive is in the text of each error, and nowhere else.
const Secretive = "a text that Chariot wrote"
