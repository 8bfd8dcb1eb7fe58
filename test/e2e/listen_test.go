package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"svcpay/api/client"
	"svcpay/internal/testing/pgtest"
)

// inbox is a program on a developer's machine that takes events.
type inbox struct {
	t      *testing.T
	server *httptest.Server
	url    string

	mu     sync.Mutex
	secret string // "" until it is known: then nothing is taken
	status int    // of its answers
	slow   time.Duration
	taken  []letter
}

// letter is an event as it came.
type letter struct {
	id       string
	sequence int64
	body     string
}

// newInbox makes an inbox at an address of 127.0.0.1, at once or when opened.
func newInbox(t *testing.T, port string) *inbox {
	t.Helper()
	b := &inbox{t: t, status: http.StatusNoContent}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	b.server = httptest.NewUnstartedServer(http.HandlerFunc(b.take))
	b.server.Listener.Close()
	b.server.Listener, b.server.Config.ErrorLog = listener, slog.NewLogLogger(slog.DiscardHandler, 0)
	b.server.Start()
	t.Cleanup(b.server.Close)
	b.url = b.server.URL + "/webhooks"
	return b
}

func (b *inbox) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil { // the sender died
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	time.Sleep(b.slow)
	if b.secret == "" || b.status >= 300 {
		w.WriteHeader(max(b.status, http.StatusServiceUnavailable))
		return
	}
	e, err := client.VerifyWebhook([]string{b.secret}, r.Header, body, 0)
	if err != nil || e.ID != r.Header.Get("webhook-id") || e.Sequence == nil {
		b.t.Errorf("%s: %v", body, err)
		return
	}
	b.taken = append(b.taken, letter{e.ID, *e.Sequence, string(body)})
	w.WriteHeader(b.status)
}

// set changes how the inbox behaves.
func (b *inbox) set(change func(*inbox)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change(b)
}

func (b *inbox) all() []letter {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.taken)
}

// log is what the application's log has after a sequence, as it comes.
func (d *devServer) log(t *testing.T, after int64, types string) (out []letter) {
	t.Helper()
	for more := true; more; {
		a, err := d.api("GET", fmt.Sprintf("/api/events?limit=100&after_sequence=%d%s", after, types), nil, nil)
		var page struct {
			Data    []json.RawMessage
			HasMore bool `json:"has_more"`
		}
		if err != nil || json.Unmarshal(a.body, &page) != nil {
			t.Fatalf("%v, %s", err, a)
		}
		for _, text := range page.Data {
			var e client.Event
			if err := json.Unmarshal(text, &e); err != nil {
				t.Fatal(err)
			}
			out, after = append(out, letter{e.ID, *e.Sequence, string(text)}), *e.Sequence
		}
		more = page.HasMore
	}
	return out
}

// listens starts svcpay listen, and tells the inbox its secret.
func (d *devServer) listens(t *testing.T, b *inbox, url string, args ...string) *process {
	t.Helper()
	p := launch(t, program, []string{"SVCPAY_CREDENTIALS=" + d.file},
		append([]string{"listen", "--forward-to", url}, args...)...)
	secret := p.says(t, `Signing secret: (whsec_\S+)\n`)
	if b != nil {
		b.set(func(b *inbox) { b.secret = secret })
	}
	return p
}

// interrupted stops it as Ctrl-C does.
func interrupted(t *testing.T, p *process) {
	t.Helper()
	p.signal(syscall.SIGINT)
	if s := p.ended(t, stopsWithin); s.ExitCode() != 0 ||
		!regexp.MustCompile(`Stopped after #\d+\.\n$`).MatchString(p.out.text()) {
		t.Errorf("%s:\n%s", s, p.out.text())
	}
}

// caughtUp waits until the inbox has as many letters as the log, and compares them.
func (d *devServer) caughtUp(t *testing.T, b *inbox, after int64, types string) {
	t.Helper()
	var want []letter
	eventually(t, patience, "everything in the inbox", func() bool {
		want = d.log(t, after, types)
		return len(b.all()) >= len(want)
	})
	if got := b.all(); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("came\n%v\nwant\n%v", got, want)
	}
}

// TestListenForwardsExactlyWhatItMissed: what happens while it is stopped, and while the server is, comes with the next
// start, once and in its order.
func TestListenForwardsExactlyWhatItMissed(t *testing.T) {
	t.Parallel()
	dir, env := stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)}
	d := startDev(t, dir, env)
	b := newInbox(t, "0")
	d.triggered(t, "charge.captured") // before anybody listened
	p := d.listens(t, b, b.url)
	var begin int64
	if _, err := fmt.Sscanf(p.says(t, `from #(\d+) on`), "%d", &begin); err != nil || begin < 2 {
		t.Fatalf("%d, %v", begin, err)
	}
	begin--
	d.triggered(t, "charge.captured")
	d.caughtUp(t, b, begin, "")
	interrupted(t, p)
	secret := b.secret

	for _, name := range []string{"charge.captured", "refund.succeeded", "dispute.lost"} {
		d.triggered(t, name)
	}
	time.Sleep(time.Second) // no one listens
	if came, log := len(b.all()), len(d.log(t, begin, "")); came >= log {
		t.Fatalf("%d of %d came to somebody who does not listen", came, log)
	}
	p = d.listens(t, b, b.url)
	d.caughtUp(t, b, begin, "")
	if b.secret != secret {
		t.Error("there is another secret now")
	}
	other := d.cli(t, "", "listen", "--forward-to", b.url)
	if other.status != exitFailed || !strings.Contains(other.errors, "another program forwards") {
		t.Errorf("%+v", other)
	}

	d.stop(t, syscall.SIGTERM)
	p.says(t, `events cannot be read`)
	d = startDev(t, dir, env, "--addr", d.apiHost)
	d.triggered(t, "charge.captured")
	d.caughtUp(t, b, begin, "")
	interrupted(t, p)
	d.killedWhileItListens(t, b, begin)
	ownersOnly(t, dir)
}

// exitFailed is the status of a command that failed.
const exitFailed = 1

// killedWhileItListens: a kill repeats one event at most, and loses none.
func (d *devServer) killedWhileItListens(t *testing.T, b *inbox, begin int64) {
	t.Helper()
	for range 4 {
		d.triggered(t, "charge.captured")
	}
	b.set(func(b *inbox) { b.slow = 100 * time.Millisecond })
	before := len(b.all())
	p := d.listens(t, b, b.url)
	eventually(t, patience, "some letters", func() bool { return len(b.all()) > before+2 })
	p.signal(syscall.SIGKILL)
	p.ended(t, patience)
	p = d.listens(t, b, b.url)
	want := d.log(t, begin, "")
	last := want[len(want)-1]
	eventually(t, patience, "the last event", func() bool { return slices.Contains(b.all(), last) })
	got := b.all()
	once := slices.Compact(slices.Clone(got))
	if !slices.Equal(once, want) || len(got) > len(once)+1 {
		t.Errorf("came\n%v\nwant\n%v", got, want)
	}
	t.Logf("%d events, %d of them twice", len(want), len(got)-len(once))
	interrupted(t, p)
}

// ownersOnly: no one else reads what is kept.
func ownersOnly(t *testing.T, dir string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "listen", "*", "*"))
	if err != nil || len(found) != 3 { // place, lock, secret
		t.Errorf("%v, %v", found, err)
	}
	for _, path := range found {
		if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

// TestListenWaitsForAReceiver that is not there, then refuses, then is there: only what is wanted comes, in its order.
func TestListenWaitsForAReceiver(t *testing.T) {
	t.Parallel()
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + pgtest.URL(t)})
	gone := newInbox(t, "0")
	_, port, err := net.SplitHostPort(gone.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	gone.server.Close()
	begin := int64(len(d.log(t, 0, "")))
	p := d.listens(t, nil, gone.url, "--events", "charge.*,refund.succeeded")
	d.triggered(t, "refund.succeeded")
	p.says(t, `(?m)^#\d+  charge.created  evt_\S+  ch_\S+  .*connection refused  \d+ ms, waits until it is taken$`)
	b := newInbox(t, port) // without the secret it refuses
	p.says(t, `503 Service Unavailable  \d+ ms, waits until it is taken`)
	d.triggered(t, "charge.captured")
	b.set(func(b *inbox) { b.status, b.secret = http.StatusTeapot, p.says(t, `Signing secret: (whsec_\S+)\n`) })
	p.says(t, `503 Service Unavailable .*\n`)
	b.set(func(b *inbox) { b.status = http.StatusOK })
	d.caughtUp(t, b, begin, "&type=charge.*,refund.succeeded")
	taken, lines := regexp.MustCompile(`(?m)^#(\d+)  \S+  (evt_\S+)  \S+  200 OK  \d+ ms$`), [][]string(nil)
	eventually(t, patience, "a line for each", func() bool {
		lines = taken.FindAllStringSubmatch(p.out.text(), -1)
		return len(lines) >= len(b.all())
	})
	for i, l := range b.all() {
		if lines[i][1] != fmt.Sprint(l.sequence) || lines[i][2] != l.id {
			t.Fatalf("the lines are %v", lines)
		}
	}
	interrupted(t, p)

	b.set(func(b *inbox) { b.status = http.StatusBadRequest })
	before := len(b.all())
	id, _ := d.triggered(t, "charge.failed")
	p = d.listens(t, b, b.url, "--attempts", "2", "--events", "charge.*")
	p.says(t, id+`.*, passed over\n`)
	interrupted(t, p)
	if got := b.all(); len(got) != before {
		t.Errorf("%v", got)
	}
	d.refusesToListen(t, b.url)
}

// refusesToListen: every mistake is told before anything is posted.
func (d *devServer) refusesToListen(t *testing.T, url string) {
	t.Helper()
	for args, want := range map[string]string{
		"--forward-to localhost:3000":                                   "--forward-to: not a URL",
		"--forward-to " + url + " --events payment.*,charge.captured,x": "payment.* covers no event",
		"--forward-to " + url + " --after 99999":                        "say where to begin", "--forward-to " + url +
			" --attempts=-1": "--attempts: at least 1", "": "--forward-to: not a URL",
		"--forward-to " + url + " --app-id 7": "give all of",
		"--forward-to " + url + " --base-url " + d.credentials.BaseURL +
			" --app-id 1 --api-key sk_sandbox_x": "401",
		"--forward-to " + url + " --base-url " + d.credentials.BaseURL + " --app-id 999 --api-key " +
			d.app.SecretKey: "401",
	} {
		if s := d.cli(t, "",
			append([]string{"listen", "--state-dir", t.TempDir()},
				strings.Fields(args)...)...); s.status != exitFailed || !strings.Contains(s.errors, want) ||
			strings.Contains(s.out, "whsec_") {
			t.Errorf("%s: %+v", args, s)
		}
	}
}
