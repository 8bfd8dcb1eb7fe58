// Package fake is a server that behaves as Stripe's API does for the requests of the adapter, with a state of its own
// and a clock that a test moves. It is written from what is publicly known of Stripe, and it is for tests: it has no
// limits, and it keeps card numbers in memory.
package fake

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// object is an object of the API.
type object = map[string]any

// Account is one account with its keys. Webhook is the secret of an endpoint that was added by hand, "" for none.
type Account struct {
	ID, Secret, Webhook string
	// RawCards says that the account may send card numbers.
	RawCards bool
	// ChargesEnabled says that it takes live payments.
	ChargesEnabled bool
	// NoHooks says that its key may not read or write webhook endpoints, and NoPlatform that it can't have connected
	// accounts.
	NoHooks, NoPlatform bool
	// NetworkIDs and WalletTokens say that Stripe's support turned on the parameters of them.
	NetworkIDs, WalletTokens bool

	connect // platforms and connected accounts
	banking // bank debits

	methods                           map[string]card
	intents, charges, refunds, events list
	transactions                      list // of the balance
	disputes, files                   list
	endpoints                         []*hook
	kept                              map[string]kept // answers by idempotency key
}

// list is objects in the order in which they were made.
type list []object

func (l list) find(id string) object {
	for _, o := range l {
		if o["id"] == id {
			return o
		}
	}
	return nil
}

// kept is an answer that is given again to the same request.
type kept struct {
	request string
	status  int
	body    []byte
	at      time.Time
}

// keptFor is how long an answer is kept.
const keptFor = 24 * time.Hour

// Request is a request as the server got it.
type Request struct {
	Method, Path string
	Header       http.Header
	Form         url.Values
}

// later is something that happens at a time.
type later struct {
	at   time.Time
	what func()
}

// Fake is the server. Its methods may be called from several goroutines.
type Fake struct {
	mu       sync.Mutex
	now      time.Time
	live     bool
	serial   int
	accounts []*Account
	later    []later
	atBanks  []later  // debits and payouts, which take days
	hasten   []string // the debits that do not wait while HastenBanks runs; nil for all
	requests []Request

	onboardings []*onboarding

	busy   bool
	faults map[string]Fault // by card or account number, or by "METHOD path" of the API, with an id or :id
}

// Fault is what is wrong with an answer.
type Fault int

// The faults. Each happens once for each time that it is set.
const (
	LoseAnswer Fault = iota + 1 // the request is executed, and the connection closed
	LoseCall                    // the connection is closed before
	TooMany                     // 429 lock_timeout
	Broken                      // 500
	InUse                       // 409 idempotency_key_in_use
)

// New makes a server without accounts.
func New(now time.Time, live bool) *Fake {
	return &Fake{now: now, live: live, faults: map[string]Fault{}}
}

// Open adds an account that may do everything.
func (f *Fake) Open(id, secret, webhook string) *Account {
	defer f.locked()()
	a := &Account{ID: id, Secret: secret, Webhook: webhook, RawCards: true, ChargesEnabled: true,
		NetworkIDs: true, WalletTokens: true,
		methods: map[string]card{}, banking: newBanking(), kept: map[string]kept{}}
	f.accounts = append(f.accounts, a)
	return a
}

// SetLive says whether the server plays live mode, before it is used.
func (f *Fake) SetLive(live bool) { f.live = live }

// Fail makes the next request with a card or account number, or of a "METHOD path", fail.
func (f *Fake) Fail(on string, how Fault) {
	defer f.locked()()
	f.faults[on] = how
}

// Busy has every request refused with 429, until it is called with false.
func (f *Fake) Busy(yes bool) {
	defer f.locked()()
	f.busy = yes
}

// Now is the server's time.
func (f *Fake) Now() time.Time {
	defer f.locked()()
	return f.now
}

// Advance lets time pass, and what is due happen.
func (f *Fake) Advance(d time.Duration) {
	defer f.locked()()
	until := f.now.Add(d)
	for due, ok := f.next(until); ok; due, ok = f.next(until) {
		f.now = due.at
		due.what()
	}
	f.now = until
}

// Hasten makes everything due within a time happen now.
func (f *Fake) Hasten(d time.Duration) {
	defer f.locked()()
	for due, ok := f.next(f.now.Add(d)); ok; due, ok = f.next(f.now.Add(d)) {
		due.what()
	}
}

// HastenBanks makes the outcomes of debits and payouts that are due within a time happen now. Other debits than those
// with the given references wait; nil is all.
func (f *Fake) HastenBanks(d time.Duration, debits []string) {
	defer f.locked()()
	var all []later
	for due, ok := first(f.now.Add(d), &f.atBanks); ok; due, ok = first(f.now.Add(d), &f.atBanks) {
		all = append(all, due)
	}
	f.hasten = debits
	for _, due := range all {
		due.what()
	}
	f.hasten = nil
}

// next removes and returns the first thing due by a time.
func (f *Fake) next(until time.Time) (later, bool) { return first(until, &f.later, &f.atBanks) }

// first removes and returns the first thing of some lists that is due by a time.
func first(until time.Time, lists ...*[]later) (due later, ok bool) {
	var from *[]later
	next := 0
	for _, list := range lists {
		for i, l := range *list {
			if !l.at.After(until) && (from == nil || l.at.Before((*from)[next].at)) {
				from, next = list, i
			}
		}
	}
	if from == nil {
		return later{}, false
	}
	due = (*from)[next]
	*from = slices.Delete(*from, next, next+1)
	return due, true
}

// Requests are those that came since they were last asked for.
func (f *Fake) Requests() []Request {
	defer f.locked()()
	all := f.requests
	f.requests = nil
	return all
}

// locked locks the server's state, and returns the function that unlocks it.
func (f *Fake) locked() (unlock func()) {
	f.mu.Lock()
	return f.mu.Unlock
}

func (f *Fake) id(prefix string) string {
	f.serial++
	return fmt.Sprintf("%s_%08dfake", prefix, f.serial)
}

// ServeHTTP implements [http.Handler].
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseMultipartForm(largestFile * 2); err != nil && !errors.Is(err, http.ErrNotMultipart) {
		http.Error(w, "unreadable", http.StatusBadRequest)
		return
	}
	defer f.locked()()
	if strings.HasPrefix(r.URL.Path, onboardingPath) {
		f.serveOnboarding(w, r)
		return
	}
	f.requests = append(f.requests, Request{r.Method, r.URL.Path, r.Header.Clone(), r.Form})
	fault := f.faultOf(r)
	if fault == LoseCall {
		panic(http.ErrAbortHandler)
	}
	status, body, replayed := f.answer(r, fault)
	if fault == LoseAnswer {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Request-Id", "req_"+random())
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client may be gone
}

func random() string {
	text := make([]byte, 8)
	rand.Read(text) // never fails (crypto/rand)
	return hex.EncodeToString(text)
}

// faultOf is the fault of a request: by its path or endpoint, or at the confirmation by the number of its card or bank
// account.
func (f *Fake) faultOf(r *http.Request) Fault {
	on := r.Method + " " + r.URL.Path
	if name, _ := nameOf(r); f.faults[name] != 0 {
		on = name
	}
	if a := f.accountOf(r); a != nil && strings.HasSuffix(r.URL.Path, "/confirm") {
		method := r.Form.Get("payment_method")
		if number := a.methods[method].number + a.debitable[method].number; f.faults[number] != 0 {
			on = number
		}
	}
	fault := f.faults[on]
	delete(f.faults, on)
	return fault
}

func (f *Fake) accountOf(r *http.Request) *Account {
	key, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	for _, a := range f.accounts {
		if a.Secret == key && key != "" {
			return a
		}
	}
	return nil
}

// answer answers a request, or repeats its first answer.
func (f *Fake) answer(r *http.Request, fault Fault) (status int, body []byte, replayed bool) {
	a, key := f.accountOf(r), r.Header.Get("Idempotency-Key")
	switch {
	case a == nil:
		return refusal(http.StatusUnauthorized, "invalid_request_error", "", "")
	case r.Header.Get("Stripe-Version") == "":
		return refusal(http.StatusBadRequest, "invalid_request_error", "", "")
	case fault == TooMany, f.busy:
		return refusal(http.StatusTooManyRequests, "invalid_request_error", "lock_timeout", "")
	case fault == Broken:
		return refusal(http.StatusInternalServerError, "api_error", "", "")
	case fault == InUse:
		return refusal(http.StatusConflict, "idempotency_error", "idempotency_key_in_use", "")
	}
	if a = f.scoped(a, r.Header.Get("Stripe-Account")); a == nil {
		return refusal(http.StatusForbidden, "invalid_request_error", "account_invalid", "")
	}
	request := r.Method + " " + r.URL.Path + "?" + r.Form.Encode()
	if k, ok := a.kept[key]; ok && r.Method == http.MethodPost && f.now.Sub(k.at) < keptFor {
		if k.request != request {
			return refusal(http.StatusBadRequest, "idempotency_error", "", "")
		}
		return k.status, k.body, true
	}
	out, err := f.route(a, r)
	status, body = http.StatusOK, encode(out)
	if err != nil {
		status, body = err.status, err.body()
	}
	if r.Method == http.MethodPost && key != "" && (err == nil || err.executed) {
		a.kept[key] = kept{request, status, body, f.now}
	}
	return status, body, false
}

func encode(o any) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err) // objects are of texts and numbers
	}
	return text
}

func refusal(status int, kind, code, message string) (int, []byte, bool) {
	return status, (&failure{status: status, kind: kind, code: code, message: message}).body(), false
}

// failure is an error of the API.
type failure struct {
	status                                int
	kind, code, decline, message, charged string
	intent                                object
	executed                              bool // execution began, so that the answer is kept
}

func (e *failure) body() []byte {
	inner := object{"type": e.kind, "message": e.message}
	for name, value := range map[string]string{"code": e.code, "decline_code": e.decline, "charge": e.charged} {
		if value != "" {
			inner[name] = value
		}
	}
	if e.intent != nil {
		inner["payment_intent"] = e.intent
	}
	return encode(object{"error": inner})
}

func invalid(code string) *failure {
	return &failure{status: http.StatusBadRequest, kind: "invalid_request_error", code: code,
		message: "The request is invalid."}
}

func missing() *failure {
	return &failure{status: http.StatusNotFound, kind: "invalid_request_error", code: "resource_missing",
		message: "No such object."}
}
