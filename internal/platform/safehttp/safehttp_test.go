package safehttp_test

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/nametest"
)

// checked says what a policy thinks of a URL before anything is sent.
func checked(t *testing.T, p safehttp.Policy, address string) error {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return safehttp.New(p).Check(u)
}

func TestOnlyNamesOverHTTPSOnItsPortAreCalled(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]safehttp.Reason{
		"https://give.example.org/x":                    "",
		"https://give.example.org:443/":                 "",
		"https://GIVE.example.org/":                     "",
		"https://xn--strae-oqa.example/":                "",
		"https://a_b.example.org/":                      "",
		"https://1e100.net/":                            "",
		"http://give.example.org/":                      safehttp.SchemeNotAllowed,
		"ftp://give.example.org/":                       safehttp.SchemeNotAllowed,
		"file:///etc/passwd":                            safehttp.SchemeNotAllowed,
		"gopher://give.example.org/":                    safehttp.SchemeNotAllowed,
		"//give.example.org/":                           safehttp.SchemeNotAllowed,
		"https://give.example.org:80/":                  safehttp.PortNotAllowed,
		"https://give.example.org:8443/":                safehttp.PortNotAllowed,
		"https://give.example.org:0443/":                safehttp.PortNotAllowed,
		"https://u@give.example.org/":                   safehttp.HostNotAllowed,
		"https://u:p@give.example.org/":                 safehttp.HostNotAllowed,
		"https://give.example.org./":                    safehttp.HostNotAllowed,
		"https://give..example.org/":                    safehttp.HostNotAllowed,
		"https://.example.org/":                         safehttp.HostNotAllowed,
		"https://intranet/":                             safehttp.HostNotAllowed,
		"https:///":                                     safehttp.HostNotAllowed,
		"https://:443/":                                 safehttp.HostNotAllowed,
		"https://localhost/":                            safehttp.HostNotAllowed,
		"https://shop.localhost/":                       safehttp.HostNotAllowed,
		"https://SHOP.LOCALHOST/":                       safehttp.HostNotAllowed,
		"https://localhost./":                           safehttp.HostNotAllowed,
		"https://straße.example/":                       safehttp.HostNotAllowed,
		"https://8.8.8.8/":                              safehttp.HostNotAllowed,
		"https://[2606:4700:4700::1111]/":               safehttp.HostNotAllowed,
		"https://a.b.0x7f/":                             safehttp.HostNotAllowed,
		"https://" + strings.Repeat("a.", 126) + "org/": safehttp.HostNotAllowed,
	} {
		if err := checked(t, safehttp.Policy{}, address); safehttp.ReasonOf(err) != want ||
			(err == nil) != (want == "") {
			t.Errorf("%s: %v", address, err)
		}
	}
	for address, ok := range map[string]bool{
		"http://shop.localhost:8081/": true, "http://localhost:1/": true, "http://127.0.0.1:8080/": true,
		"http://[::1]:8080/": true, "http://127.9.9.9/": true,
		"http://give.example.org:8080/": true, "https://give.example.org:8443/": true,
		"http://10.0.0.1:8080/": false, "http://8.8.8.8/": false, "http://0.0.0.0:8080/": false,
		"http://[::]:8080/": false, "http://2130706433/": false,
		"http://[::ffff:10.0.0.1]/": false, "http://[::ffff:127.0.0.1]/": false, "ftp://localhost/": false,
		"http://u@localhost/": false, "http://intranet/": false,
	} {
		if err := checked(t, safehttp.Policy{Local: true}, address); (err == nil) != ok {
			t.Errorf("a sandbox, %s: %v", address, err)
		}
	}
}

func TestOtherPortsThanTheOneAreNotDialed(t *testing.T) {
	t.Parallel()
	if _, err := get(t, safehttp.Policy{Resolver: nametest.Resolver(t, netip.MustParseAddr("1.1.1.1"))},
		"https://give.example.org:444/"); safehttp.ReasonOf(err) != safehttp.PortNotAllowed {
		t.Error(err)
	}
}

func TestLoopbackIsReachedInASandboxAlone(t *testing.T) {
	t.Parallel()
	called := make(chan string, 20)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		called <- r.Host + r.URL.Path
		w.Header().Set("X-Said", "yes")
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "hello")
	})
	port := at[strings.LastIndexByte(at, ':'):]
	for _, host := range []string{"shop.localhost", "localhost", "127.0.0.1", "give.example.org"} {
		p := safehttp.Policy{Local: true, Resolver: nametest.Resolver(t, netip.MustParseAddr("127.0.0.1"))}
		a, err := get(t, p, "http://"+host+port+"/x")
		if err != nil || a.Status != http.StatusTeapot || string(a.Body) != "hello" || a.Cut ||
			a.Header.Get("X-Said") != "yes" {
			t.Errorf("%s: %+v, %v", host, a, err)
			continue
		}
		if got := <-called; got != host+port+"/x" {
			t.Errorf("%s was called as %s", host, got)
		}
		p.Local = false
		if a, err := get(t, p, "https://"+host+port+"/x"); err == nil {
			t.Errorf("%s is reached by all: %+v", host, a)
		}
	}
	if len(called) > 0 {
		t.Errorf("%d calls more", len(called))
	}
}

func TestLoopbackOfIPv6AloneIsFound(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Logf("no IPv6 here: %v", err)
		return
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.NotFoundHandler()}}
	s.Start()
	t.Cleanup(s.Close)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if a, err := get(t, safehttp.Policy{Local: true}, "http://shop.localhost:"+port); err != nil ||
		a.Status != http.StatusNotFound {
		t.Errorf("%+v, %v", a, err)
	}
}

// A name that led to an allowed address leads inward a moment later: each exchange looks again, and at what it
// dials. The first address here is the loopback of a sandbox.
func TestNamesAreLookedAtEachTime(t *testing.T) {
	t.Parallel()
	var calls atomic.Int64
	at := serve(t, func(http.ResponseWriter, *http.Request) { calls.Add(1) })
	var now atomic.Pointer[netip.Addr]
	lead := func(ip string) { to := netip.MustParseAddr(ip); now.Store(&to) }
	c := safehttp.New(safehttp.Policy{
		Local: true, Resolver: nametest.Changing(t, func() netip.Addr { return *now.Load() })})
	ask := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
			strings.Replace(at, "shop.localhost", "give.example.org", 1), nil)
		if err == nil {
			_, err = c.Do(r)
		}
		return err
	}
	lead("127.0.0.1")
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	for _, inside := range []string{"10.0.0.1", "169.254.169.254", "fd00::1", "64:ff9b::a00:1"} {
		lead(inside)
		if err := ask(); safehttp.ReasonOf(err) != safehttp.HostNotFound {
			t.Errorf("%s: %v", inside, err)
		}
	}
	if n := calls.Load(); n != 1 {
		t.Errorf("%d calls", n)
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 9)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		calls <- r.URL.Path
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	})
	if a, err := get(t, safehttp.Policy{Local: true}, at); err != nil || a.Status != http.StatusFound ||
		len(calls) != 1 {
		t.Errorf("%d calls, %+v, %v", len(calls), a, err)
	}
}

func TestAnswersAreReadUpToABound(t *testing.T) {
	t.Parallel()
	for size, cut := range map[int]bool{0: false, safehttp.MaxBody: false, safehttp.MaxBody + 1: true, 8 << 20: true} {
		at := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			for left := size; left > 0; {
				n, err := w.Write(make([]byte, min(left, 1<<16)))
				if left -= n; err != nil {
					return
				}
			}
		})
		if a, err := get(t, safehttp.Policy{Local: true}, at); err != nil ||
			len(a.Body) != min(size, safehttp.MaxBody) || a.Cut != cut {
			t.Errorf("of %d bytes %d, cut %v, %v", size, len(a.Body), a.Cut, err)
		}
	}
	headers := serve(t,
		func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 1<<20)) })
	if _, err := get(t, safehttp.Policy{Local: true}, headers); safehttp.ReasonOf(err) != safehttp.Unreachable {
		t.Errorf("a header of a mebibyte: %v", err)
	}
}

func TestTimeIsBounded(t *testing.T) {
	t.Parallel()
	never := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	for name, h := range map[string]http.HandlerFunc{
		"no answer": never,
		"no end": func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, "x")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
	} {
		if _, err := get(t, safehttp.Policy{Local: true, Timeout: 50 * time.Millisecond},
			serve(t, h)); safehttp.ReasonOf(err) != safehttp.TimedOut {
			t.Errorf("%s: %v", name, err)
		}
	}
	at := serve(t, never)
	ask := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
		if err == nil {
			_, err = safehttp.New(safehttp.Policy{Local: true}).Do(r)
		}
		return err
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := ask(short); safehttp.ReasonOf(err) != safehttp.TimedOut {
		t.Errorf("a deadline: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := ask(gone); !errors.Is(err, context.Canceled) || safehttp.ReasonOf(err) != "" {
		t.Errorf("a caller who gave up: %v", err)
	}
}

func TestProxiesOfTheEnvironmentAreNotUsed(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "itself") })
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:1")
	}
	p := safehttp.Policy{Local: true, Resolver: nametest.Resolver(t, netip.MustParseAddr("127.0.0.1"))}
	if a, err := get(t, p, strings.Replace(at, "shop.localhost", "give.example.org", 1)); err != nil ||
		string(a.Body) != "itself" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestCertificatesAreChecked(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	ask := func(host string, roots *x509.CertPool) error {
		p := safehttp.Policy{Local: true, Roots: roots,
			Resolver: nametest.Resolver(t, netip.MustParseAddr("127.0.0.1"))}
		_, err := get(t, p, fmt.Sprintf("https://%s:%s/", host, port))
		return err
	}
	if err := ask("example.com", roots); err != nil { // the one that httptest's certificate is for
		t.Errorf("%v", err)
	}
	for host, roots := range map[string]*x509.CertPool{"example.com": x509.NewCertPool(), "example.org": roots} {
		if err := ask(host, roots); safehttp.ReasonOf(err) != safehttp.CertificateInvalid {
			t.Errorf("%s: %v", host, err)
		}
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	if _, err := get(t, safehttp.Policy{Local: true}, strings.Replace(plain, "http:", "https:", 1)); safehttp.ReasonOf(
		err) != safehttp.CertificateInvalid {
		t.Errorf("no TLS: %v", err)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	if _, err := get(t, safehttp.Policy{Resolver: nametest.Resolver(t, netip.Addr{})},
		"https://give.example.org/"); safehttp.ReasonOf(err) != safehttp.HostNotFound {
		t.Errorf("no such name: %v", err)
	}
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := l.Addr().String()
	_ = l.Close()
	if _, err := get(t, safehttp.Policy{Local: true}, "http://"+at); safehttp.ReasonOf(err) != safehttp.Unreachable {
		t.Errorf("nobody listens: %v", err)
	}
	hangsUp := serve(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	if _, err := get(t, safehttp.Policy{Local: true}, hangsUp); safehttp.ReasonOf(err) != safehttp.Unreachable {
		t.Errorf("hung up: %v", err)
	}
	if r := safehttp.ReasonOf(errors.New("x")); r != "" {
		t.Errorf("somebody else's error has the reason %s", r)
	}
}
