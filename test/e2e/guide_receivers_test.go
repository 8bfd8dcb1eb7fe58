package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// receiver is a program of the guide about webhooks: how it is written down and started.
type receiver struct {
	language string
	start    func(t *testing.T, file string) (program string, args []string)
	env      []string
}

// verifiers is where the published verifiers are, in all languages: one module.
func verifiers(t *testing.T) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/standard-webhooks/standard-webhooks/libraries")
	cmd.Dir = root
	dir, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(dir))
}

// receivers are those that can be run here. Go and Node are what this repository is built with; Python is on
// most machines, and its verifier comes with that of Go.
func receivers(t *testing.T) []receiver {
	t.Helper()
	out := []receiver{
		{language: "go", start: func(t *testing.T, file string) (string, []string) {
			built := filepath.Join(t.TempDir(), "receiver")
			cmd := exec.CommandContext(t.Context(), "go", "build", "-o", built, file)
			cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, text)
			}
			return built, nil
		}},
		{language: "js", start: func(t *testing.T, file string) (string, []string) {
			packages, err := filepath.Abs(filepath.Join(root, "api/client/typescript/node_modules"))
			if err == nil {
				err = os.Symlink(packages, filepath.Join(filepath.Dir(file), "node_modules"))
			}
			if err == nil {
				err = os.Rename(file, file+".mjs")
			}
			if err != nil {
				t.Fatal(err)
			}
			return "node", []string{file + ".mjs"}
		}},
	}
	if _, err := exec.LookPath("python3"); err == nil {
		out = append(out,
			receiver{language: "python",
				env:   []string{"PYTHONPATH=" + filepath.Join(verifiers(t), "python"), "PYTHONDONTWRITEBYTECODE=1"},
				start: func(_ *testing.T, file string) (string, []string) { return "python3", []string{file} }})
	}
	return out
}

// TestReceiversOfTheGuide runs the programs that the guide shows: they take what we send before, during and
// after a rotation of the secret, and refuse a changed byte, an old time and another secret.
func TestReceiversOfTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guideFiles + "webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	s := p.serve(t, program, "SVCPAY_WEBHOOK_LOCAL=true")
	for _, r := range receivers(t) {
		t.Run(r.language, func(t *testing.T) {
			t.Parallel()
			shown := blocks(t, text, r.language)
			if len(shown) != 1 {
				t.Fatalf("the guide shows %d programs", len(shown))
			}
			file := filepath.Join(t.TempDir(), "receiver."+r.language)
			if err := os.WriteFile(file, []byte(shown[0]), 0o600); err != nil {
				t.Fatal(err)
			}
			command, args := r.start(t, file)
			o := rotation{site: s.site, env: r.env, command: command, args: args, port: freePort(t)}
			o.play(t)
		})
	}
}

// freePort is a port of this machine that no one listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// rotation is an endpoint with the program that takes its events.
type rotation struct {
	site
	command, port string
	args, env     []string
	path          string // of the endpoint
	running       *process
}

// restart runs the program with a secret, in place of the one that ran.
func (o *rotation) restart(t *testing.T, secret string) {
	t.Helper()
	if o.running != nil {
		o.running.signal(syscall.SIGKILL)
		o.running.ended(t, patience)
	}
	o.running = launch(t, o.command, append(o.env, "WEBHOOK_SECRET="+secret, "PORT="+o.port), o.args...)
	eventually(t, patience, "a receiver", func() bool {
		c, err := net.Dial("tcp", "localhost:"+o.port)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

// delivered is a delivery as the log has it.
type delivered struct {
	Status   string
	EventID  string `json:"event_id"`
	Attempts []struct {
		StatusCode int               `json:"status_code"`
		Request    map[string]string `json:"request_headers"`
	}
}

// send sends an event and says what the first attempt came to.
func (o *rotation) send(t *testing.T) delivered {
	t.Helper()
	made := o.ask(t, o.path+"/test",
		map[string]any{"type": "charge.captured",
			"data": map[string]any{"id": "ch_1", "description": "Grüße, 100 €", "amount": 12500}})
	var page struct{ Data []delivered }
	eventually(t, patience, "an attempt", func() bool {
		a, err := o.api("GET", o.path+"/deliveries?event_id="+made.text("event_id"), nil, nil)
		return err == nil && json.Unmarshal(a.body, &page) == nil && len(page.Data) == 1 &&
			len(page.Data[0].Attempts) > 0
	})
	return page.Data[0]
}

// play rotates the secret twice, and gives the program what it must take and what it must not.
func (o *rotation) play(t *testing.T) {
	url := "http://localhost:" + o.port + "/hooks"
	made := o.ask(t, "/api/webhook_endpoints", map[string]any{"url": url, "events": []string{"charge.*"}})
	o.path = "/api/webhook_endpoints/" + made.text("id")
	first := made.text("secret")
	expect := func(when string, status int) delivered {
		t.Helper()
		d := o.send(t)
		if got := d.Attempts[0].StatusCode; got != status ||
			(d.Status == "succeeded") != (status == http.StatusNoContent) {
			t.Errorf("%s the receiver answered %d, the delivery is %s", when, got, d.Status)
		}
		return d
	}
	o.restart(t, first)
	d := expect("before", http.StatusNoContent)
	o.forge(t, url, d)
	second := o.ask(t, o.path+"/rotate_secret", map[string]any{"overlap": "1h"}).text("secret")
	expect("during, with the old secret,", http.StatusNoContent)
	o.restart(t, second)
	expect("during, with the new secret,", http.StatusNoContent)
	third := o.ask(t, o.path+"/rotate_secret", map[string]any{"overlap": "now"}).text("secret")
	expect("after, with the old secret,", http.StatusBadRequest)
	o.restart(t, third)
	expect("after, with the new secret,", http.StatusNoContent)
}

// forge repeats a delivery as it was, then with mistakes.
func (o *rotation) forge(t *testing.T, url string, d delivered) {
	t.Helper()
	a, err := o.api("GET", "/api/events/"+d.EventID, nil, nil)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("%v, %s", err, a)
	}
	post := func(body []byte, header string, value string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range d.Attempts[0].Request {
			r.Header.Set(name, value)
		}
		if header != "" {
			r.Header.Set(header, value)
		}
		response, err := fresh.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		return response.StatusCode
	}
	changed := bytes.Replace(a.body, []byte("12500"), []byte("12501"), 1)
	for what, got := range map[string]int{
		"a changed byte": post(changed, "", ""), "an old time": post(a.body, "webhook-timestamp", "1700000000"),
		"another id": post(a.body, "webhook-id", "evt_other"), "no signature": post(a.body, "webhook-signature", ""),
		"a broken signature": post(a.body, "webhook-signature", "v1,?"),
	} {
		if got != http.StatusBadRequest {
			t.Errorf("%s is answered %d", what, got)
		}
	}
	if got := post(a.body, "", ""); got != http.StatusNoContent {
		t.Errorf("the delivery itself is answered %d", got)
	}
}

// TestReceiversOfTheGuideUseWhatIsPublished holds those that cannot be run everywhere to the sources of the
// verifiers, which come with that of Go.
func TestReceiversOfTheGuideUseWhatIsPublished(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(guideFiles + "webhooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for language, c := range map[string]struct{ tree, uses, declared string }{
		"python": {"python/standardwebhooks/webhooks.py", `\b(Webhook(?:VerificationError)?)\b|hook\.(\w+)\(`, `(?m)^(?:class|    def) %s\b`},
		"php":    {"php/src", `\\StandardWebhooks\\(?:Exception\\)?(\w+)|->(\w+)\(`, `(?m)^(?:class|    public function) %s\b`},
	} {
		sources := ""
		err := filepath.WalkDir(filepath.Join(verifiers(t), c.tree),
			func(path string, entry os.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				source, err := os.ReadFile(path)
				sources += string(source)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, m := range regexp.MustCompile(c.uses).FindAllStringSubmatch(strings.Join(blocks(t, text, language), ""),
			-1) {
			used[m[1]+m[2]] = true
		}
		if len(used) != 3 {
			t.Errorf("%s uses %v", language, used)
		}
		for name := range used {
			if !regexp.MustCompile(fmt.Sprintf(c.declared, name)).MatchString(sources) {
				t.Errorf("%s: there is no %s", language, name)
			}
		}
	}
}
