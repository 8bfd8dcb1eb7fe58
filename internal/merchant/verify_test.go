package merchant_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/fixture"
)

// sites are the websites under localhost that a world's merchants have.
type sites struct {
	*fixture.World
	service *merchant.Service // whose sandbox finds them
	mu      sync.Mutex
	calls   []string
	host    map[string]http.HandlerFunc // by name; others say 404
}

const file = "7B227073704964223A2231227D\n" // {"pspId":"1"}

// build opens websites, each of which hosts the file that is installed.
func build(t *testing.T, names ...string) *sites {
	t.Helper()
	s := &sites{World: fixture.New(t), host: map[string]http.HandlerFunc{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	d := s.Merchants.Deps()
	d.LocalPort = server.Listener.Addr().(*net.TCPAddr).Port
	s.service = merchant.New(d)
	if _, err := s.service.InstallAssociation(t.Context(), s.Admin(), []byte(file), nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		s.host[name] = says(http.StatusOK, file)
	}
	s.set(t, names...)
	return s
}

func says(status int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

func (s *sites) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, _, _ := net.SplitHostPort(r.Host)
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+name+r.URL.Path)
	h := s.host[name]
	s.mu.Unlock()
	if h == nil {
		h = http.NotFound
	}
	h(w, r)
}

// set gives the US merchant its domains.
func (s *sites) set(t *testing.T, names ...string) {
	t.Helper()
	text, _ := json.Marshal(names)
	if _, err := update(t, s.World, s.App.Merchants.US, `{"domains":`+string(text)+`}`); err != nil {
		t.Fatal(err)
	}
}

func (s *sites) verify(t *testing.T, domain *string) ([]merchant.Domain, error) {
	t.Helper()
	out, err := s.service.VerifyDomains(t.Context(), s.Actor(), s.App.Merchants.US,
		merchant.VerifyInput{Domain: domain}, nil)
	return out.Object, err
}

// states are domain, status and failure of each.
func states(ds []merchant.Domain) (out []string) {
	for _, d := range ds {
		text := d.Domain + " " + string(d.Status)
		if d.FailureReason != nil {
			text += " " + string(*d.FailureReason)
		}
		out = append(out, text)
	}
	return out
}

func TestDomainsAreLookedAt(t *testing.T) {
	t.Parallel()
	s := build(t, "shop.localhost", "b.localhost")
	read := func() []merchant.Domain {
		t.Helper()
		ds, err := s.Merchants.Domains(t.Context(), s.Actor(), s.App.Merchants.US)
		if err != nil {
			t.Fatal(err)
		}
		return ds
	}
	if ds := read(); !slices.Equal(states(ds), []string{"shop.localhost unverified", "b.localhost unverified"}) ||
		ds[0].CheckedAt != nil || ds[0].VerifiedAt != nil || ds[0].Object != "domain" {
		t.Errorf("%+v", ds)
	}
	ds, err := s.verify(t, ptr("SHOP.localhost"))
	first := s.Clock.Now()
	if err != nil || !slices.Equal(states(ds), []string{"shop.localhost verified"}) || !ds[0].VerifiedAt.Equal(first) ||
		!ds[0].CheckedAt.Equal(first) {
		t.Errorf("%+v, %v", ds, err)
	}
	if want := []string{"GET shop.localhost" + merchant.AssociationPath}; !slices.Equal(s.calls, want) {
		t.Errorf("called %q", s.calls)
	}
	s.Clock.Advance(time.Hour)
	s.host["shop.localhost"] = http.NotFound
	ds, err = s.verify(t, nil)
	if err != nil ||
		!slices.Equal(states(ds), []string{"shop.localhost failed file_missing", "b.localhost verified"}) ||
		!ds[0].VerifiedAt.Equal(first) || !ds[0].CheckedAt.Equal(s.Clock.Now()) || !reflect.DeepEqual(read(), ds) {
		t.Errorf("%+v, %v", ds, err)
	}
	s.set(t, "b.localhost", "c.localhost") // what was known of the first is forgotten, even when it comes back
	s.set(t, "shop.localhost", "b.localhost")
	if ds := read(); !slices.Equal(states(ds), []string{"shop.localhost unverified", "b.localhost verified"}) {
		t.Errorf("%+v", ds)
	}
	if m := get(t, s.World, s.App.Merchants.US); m.Version != 4 {
		t.Errorf("looking made a version: %d", m.Version)
	}
	s.set(t)
	if ds, err := s.verify(t, nil); err != nil || len(ds) != 0 {
		t.Errorf("without domains: %+v, %v", ds, err)
	}
}

func TestWhatIsWrongWithADomain(t *testing.T) {
	t.Parallel()
	wrong := map[string]http.HandlerFunc{
		"file_missing": says(http.StatusInternalServerError, file), "file_redirected": func(w http.ResponseWriter,
			r *http.Request) {
			http.Redirect(w, r, "http://b.localhost/", http.StatusFound)
		},
		"file_differs": says(http.StatusOK, "<html>"), "unreachable": func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		},
	}
	s := build(t)
	s.host["empty.localhost"], s.host["large.localhost"] = says(http.StatusOK, ""), says(http.StatusOK,
		file+strings.Repeat(" ", 1<<20))
	s.host["padded.localhost"] = says(http.StatusOK, "\n"+strings.TrimSpace(file)+"\r\n\r\n")
	names, want := []string{"empty.localhost", "large.localhost", "padded.localhost"}, []string{
		"empty.localhost failed file_differs", "large.localhost failed file_differs", "padded.localhost verified"}
	for reason, h := range wrong {
		name := strings.ReplaceAll(reason, "_", "-") + ".localhost"
		s.host[name] = h
		names, want = append(names, name), append(want, name+" failed "+reason)
	}
	s.set(t, names...)
	ds, err := s.verify(t, nil)
	if err != nil || !slices.Equal(states(ds), want) {
		t.Errorf("%q, %v; want %q", states(ds), err, want)
	}
	for _, d := range ds {
		if d.FailureReason != nil && !slices.Contains(merchant.DomainFailures(), *d.FailureReason) {
			t.Errorf("%+v", d)
		}
	}
}

// nowhere is a name server that fails.
func nowhere() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		return nil, errors.New("no name server")
	}}
}

func TestWebsitesOfTheInternetAreAskedByHTTPS(t *testing.T) {
	t.Parallel()
	s := build(t)
	d := s.service.Deps()
	d.Sites = safehttp.New(safehttp.Policy{Resolver: nowhere()}) // a name under localhost is refused on its own
	s.service = merchant.New(d)
	s.set(t, "give.example.org", "shop.localhost")
	if ds, err := s.verify(t, nil); err != nil ||
		!slices.Equal(states(ds),
			[]string{"give.example.org failed host_not_found", "shop.localhost failed scheme_not_allowed"}) {
		t.Errorf("%q, %v", states(ds), err)
	}
	if len(s.calls) > 0 {
		t.Errorf("called %q", s.calls)
	}
}

func TestVerificationsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := build(t, "shop.localhost")
	for domain, want := range map[string]string{"b.localhost": "domain parameter_invalid",
		"https://shop.localhost": "domain domain_invalid", "": "domain domain_invalid"} {
		if _, err := s.verify(t, &domain); !slices.Equal(mistakes(err), []string{want}) {
			t.Errorf("%q: %v", domain, err)
		}
	}
	for _, id := range []int64{s.Other.Merchants.US, 0, 1 << 40} {
		_, err := s.service.VerifyDomains(t.Context(), s.Actor(), id, merchant.VerifyInput{}, nil)
		_, err2 := s.service.Domains(t.Context(), s.Actor(), id)
		if !fault.HasCode(err, "resource_missing") || !fault.HasCode(err2, "resource_missing") {
			t.Errorf("%d: %v, %v", id, err, err2)
		}
	}
	if _, err := pg.Exec(t.Context(), s.Pool, `DELETE FROM wallet_a_domain_file`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.verify(t, nil); !fault.HasCode(err, "association_file_missing") {
		t.Errorf("without a file: %v", err)
	}
	if len(s.calls) > 0 || count(t, s.World, `merchant_domains`, pg.Args{}) > 0 {
		t.Errorf("called %q", s.calls)
	}
}

func TestVerificationHappensOncePerKey(t *testing.T) {
	t.Parallel()
	s := build(t, "shop.localhost")
	claim := &idempotency.Claim{ApplicationID: s.App.AppID, Key: "k", Method: "POST", Params: map[string]string{},
		RequestID: s.Actor().RequestID}
	again := func() (idempotency.Result[[]merchant.Domain], error) {
		return s.service.VerifyDomains(t.Context(), s.Actor(), s.App.Merchants.US, merchant.VerifyInput{}, claim)
	}
	if out, err := again(); err != nil || len(out.Object) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	s.set(t) // the outcome is told all the same
	if out, err := again(); err != nil || out.Prior == nil ||
		!strings.Contains(string(out.Prior.Outcome.Result), "shop.localhost") || len(s.calls) != 1 {
		t.Errorf("%+v, %v; called %q", out, err, s.calls)
	}
	s.Clock.Advance(idempotency.Life)
	if out, err := again(); err != nil || out.Prior != nil || len(out.Object) != 0 {
		t.Errorf("a forgotten key: %+v, %v", out, err)
	}
}

// TestDomainsThatAreLostMeanwhile: what is found of a domain that was taken away in the meantime is not kept.
func TestDomainsThatAreLostMeanwhile(t *testing.T) {
	t.Parallel()
	s := build(t, "shop.localhost", "b.localhost")
	inner := s.host["shop.localhost"]
	s.host["shop.localhost"] = func(w http.ResponseWriter, r *http.Request) {
		s.set(t, "b.localhost")
		inner(w, r)
	}
	if ds, err := s.verify(t, nil); err != nil || !slices.Equal(states(ds), []string{"b.localhost verified"}) {
		t.Errorf("%q, %v", states(ds), err)
	}
	if n := count(t, s.World, `merchant_domains WHERE domain = 'shop.localhost'`, pg.Args{}); n != 0 {
		t.Error("it is known of a domain that the merchant has not")
	}
}

func TestAsManyDomainsAsThereCanBe(t *testing.T) {
	t.Parallel()
	s := build(t)
	var names []string
	for i := range 99 {
		name := fmt.Sprintf("s%d.localhost", i)
		names = append(names, name)
		s.host[name] = says(http.StatusOK, file)
	}
	s.set(t, names...)
	ds, err := s.verify(t, nil)
	if err != nil || len(ds) != 99 ||
		slices.ContainsFunc(ds, func(d merchant.Domain) bool { return d.Status != merchant.DomainVerified }) ||
		ds[7].Domain != names[7] {
		t.Errorf("%q, %v", states(ds), err)
	}
}

// The domains of a merchant are looked at for one caller at a time, and those of so many merchants at once.
func TestVerificationsTakeTurns(t *testing.T) {
	t.Parallel()
	s := build(t)
	const most = 8
	asked, answer := make(chan struct{}, 2*most), make(chan struct{})
	var merchants []int64
	for i := range most + 1 {
		merchants = append(merchants, s.Merchant(merchant.CreateInput{}).ID)
		name := fmt.Sprintf("m%d.localhost", i)
		s.host[name] = func(w http.ResponseWriter, r *http.Request) {
			asked <- struct{}{}
			<-answer
			says(http.StatusOK, file)(w, r)
		}
		if _, err := update(t, s.World, merchants[i], `{"domains":["`+name+`"]}`); err != nil {
			t.Fatal(err)
		}
	}
	verify := func(id int64) error {
		_, err := s.service.VerifyDomains(t.Context(), s.Actor(), id, merchant.VerifyInput{}, nil)
		return err
	}
	var busy sync.WaitGroup
	for _, id := range merchants[:most] {
		busy.Go(func() {
			if err := verify(id); err != nil {
				t.Error(err)
			}
		})
	}
	for range most {
		<-asked
	}
	if err := verify(merchants[3]); !fault.HasCode(err, "operation_in_progress") {
		t.Errorf("the same merchant again: %v", err)
	}
	if err := verify(merchants[most]); !fault.HasCode(err, "overloaded") {
		t.Errorf("one more merchant: %v", err)
	}
	close(answer)
	busy.Wait()
	for _, i := range []int{3, most} {
		if err := verify(merchants[i]); err != nil {
			t.Errorf("merchant %d when the others are done: %v", i, err)
		}
	}
}
