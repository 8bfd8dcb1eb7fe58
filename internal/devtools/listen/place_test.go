package listen_test

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"svcpay/internal/devtools/listen"
	"svcpay/internal/devtools/signature"
)

func open(t *testing.T, dir string, to listen.Target) *listen.Place {
	t.Helper()
	p, err := listen.Open(dir, to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() }) // again, if the test has closed it
	return p
}

// files are those below a directory, by their ends.
func files(t *testing.T, dir, end string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && strings.HasSuffix(path, end) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestEachTargetHasItsPlace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	targets := []listen.Target{target, {target.BaseURL, 2, target.ForwardTo},
		{"http://localhost:9090", 1, target.ForwardTo}, {target.BaseURL, 1, target.ForwardTo + "/"}}
	for i, to := range targets {
		p := open(t, dir, to)
		if after, ok := p.After(); after != 0 || ok {
			t.Errorf("%+v begins after %d, %v", to, after, ok)
		}
		if err := p.Move(int64(i)); err != nil {
			t.Fatal(err)
		}
		if _, err := listen.Open(dir, to); err == nil || !strings.Contains(err.Error(), "another program forwards") {
			t.Errorf("two have a place: %v", err)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i, to := range targets {
		if after, ok := open(t, dir, to).After(); after != int64(i) || !ok {
			t.Errorf("%+v goes on after %d, %v", to, after, ok)
		}
	}
	for _, path := range append(files(t, dir, ".json"), files(t, dir, ".lock")...) {
		info, err := os.Stat(path)
		if err != nil || info.Mode() != 0o600 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if info, err := os.Stat(filepath.Dir(files(t, dir, ".json")[0])); err != nil || info.Mode() != 0o700|fs.ModeDir {
		t.Errorf("%v, %v", info, err)
	}
}

func TestAPlaceThatCannotBeReadIsTold(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := open(t, dir, target)
	if err := p.Move(7); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	path := files(t, dir, ".json")[0]
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"", "{", "{}", "null", strings.Replace(string(good), "7", "-7", 1),
		strings.Replace(string(good), "7", "1e99", 1),
		strings.Replace(string(good), "3000", "3001", 1),
		strings.Replace(string(good), `"after_sequence":7`, `"x":7`, 1)} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, err := listen.Open(dir, target); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v, %v", text, p, err)
		}
	}
	for _, name := range []string{path, path + ".123"} { // as someone leaves it who is killed while it is written
		if err := os.WriteFile(name, good, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if after, ok := open(t, dir, target).After(); after != 7 || !ok { // and a refusal has given the lock back
		t.Errorf("%d, %v", after, ok)
	}
	if left := append(files(t, dir, ""), files(t, dir, ".lock")...); len(left) != 3 { // the place, and twice the lock
		t.Errorf("%v", left)
	}
	if _, err := listen.Open(path, target); err == nil {
		t.Error("a file is a directory")
	}
}

func TestWhereItBegins(t *testing.T) {
	t.Parallel()
	at := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		kept   *int64
		newest int64
		from   *int64
		want   int64 // -1: a mistake
	}{
		{nil, 0, nil, 0}, {nil, 9, nil, 9}, {nil, 9, at(0), 0}, {nil, 9, at(4), 4}, {nil, 9, at(10), -1},
		{nil, 9, at(-1), -1},
		{at(4), 9, nil, 4}, {at(9), 9, nil, 9}, {at(4), 9, at(0), 0}, {at(10), 9, nil, -1}, {at(10), 9, at(9), 9},
	} {
		dir := t.TempDir()
		p := open(t, dir, target)
		if c.kept != nil {
			if err := p.Move(*c.kept); err != nil {
				t.Fatal(err)
			}
		}
		r := &listen.Relay{Place: p}
		err := r.Begin(c.newest, c.from)
		if c.want < 0 {
			if err == nil || !strings.Contains(err.Error(), "ends with 9") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		if after, ok := open(t, dir, target).After(); err != nil || after != c.want || !ok {
			t.Errorf("%+v: %d, %v, %v", c, after, ok, err)
		}
	}
}

func TestTheSecretStays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := func(to listen.Target) string {
		t.Helper()
		s, err := listen.Secret(dir, to)
		if err != nil {
			t.Fatal(err)
		}
		return s.Text()
	}
	mine := secret(target)
	elsewhere, other := target, target
	elsewhere.ForwardTo, other.ApplicationID = "http://localhost:3001/", 2
	if secret(target) != mine || secret(elsewhere) != mine || secret(other) == mine {
		t.Error("an application has one secret")
	}
	path := filepath.Dir(files(t, dir, "secret")[0])
	info, err := os.Stat(filepath.Join(path, "secret"))
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if err := os.WriteFile(filepath.Join(path, "secret"), []byte("whsec_*"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, to := range []listen.Target{target, other} {
		_, err := listen.Secret(dir, to)
		if spoiled := filepath.Base(path)[:2] == map[int64]string{
			1: "1-", 2: "2-"}[to.ApplicationID]; spoiled != (err != nil && strings.Contains(err.Error(), "remove it")) {
			t.Errorf("%+v: %v", to, err)
		}
	}
}

func TestWhereEventsCanBePosted(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{"http://localhost:3000/webhooks": true, "https://example.org": true,
		"http://[::1]:3000/x?y=z": true, "": false, "localhost:3000": false,
		"/webhooks": false, "ftp://example.org/": false, "http://": false, "http://u:p@example.org/": false,
		"http://example.org/#x": false, "http://exa mple.org/": false, "http:example.org": false} {
		if err := listen.CheckURL(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestWhatReceiversAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
		case "/broken":
			w.Header().Set("Content-Length", "9")
			_, _ = w.Write([]byte("half"))
		default:
			_, _ = w.Write([]byte(strings.Repeat("x", 5000)))
		}
	}))
	t.Cleanup(server.Close)
	gone := httptest.NewServer(nil)
	gone.Close()
	s := listen.NewSender(time.Now, nil)
	for url, want := range map[string]listen.Answer{
		server.URL: {Status: 200, Reason: "200 OK", Body: strings.Repeat("x", 2048)},
		strings.Replace(server.URL, "127.0.0.1", "hooks.localhost", 1): {Status: 200, Reason: "200 OK",
			Body: strings.Repeat("x", 2048)},
		server.URL + "/redirect": {Status: 307, Reason: "307 Temporary Redirect"},
		server.URL + "/broken":   {Reason: "unexpected EOF", Body: "half"},
		gone.URL:                 {Reason: "connection refused"},
	} {
		h, err := s.Sign(signature.NewSecret(), "evt_1", nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Post(t.Context(), url, h, nil)
		if err != nil || a.Status != want.Status || !strings.Contains(a.Reason, want.Reason) || a.Body != want.Body ||
			a.Taken() != (want.Status == 200) {
			t.Errorf("%s: %+v, %v", url, a, err)
		}
	}
	if a, err := s.Post(t.Context(), "http://exa mple.org/", http.Header{}, nil); err == nil {
		t.Errorf("%+v", a)
	}
}

func TestAReceiverThatSaysNothingIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		secret := signature.NewSecret()
		silent := &receiver{t: t, secret: secret.Text(), slow: time.Hour}
		s := listen.NewSender(time.Now, silent)
		h, err := s.Sign(secret, "evt_1", nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := s.Post(t.Context(), target.ForwardTo, h, nil)
		if err != nil || a.Status != 0 || a.Reason != "no answer in 15s" || a.Took != 15*time.Second {
			t.Errorf("%+v, %v", a, err)
		}
	})
}
