package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// requestTimeout is longer than the service waits for a processor.
const requestTimeout = time.Minute

type getCommand struct {
	access
	Path  string `arg:"" help:"The path, such as /api/charges?limit=1."`
	Field string `placeholder:"PATH" help:"Print one member of the response only, such as data.0.id."`
}

// Run prints the response.
func (c getCommand) Run(w *world) error {
	return c.send(w, http.MethodGet, c.Path, nil, "", c.Field)
}

type postCommand struct {
	access
	Path           string `arg:"" help:"The path, such as /api/charges."`
	Data           string `short:"d" default:"{}" placeholder:"JSON" help:"The body."`
	IdempotencyKey string `placeholder:"KEY" help:"Requests with the same key are executed once (default: a new key)."`
	Field          string `placeholder:"PATH" help:"Print one member of the response only, such as id."`
}

// Run prints the response.
func (c postCommand) Run(w *world) error {
	if !json.Valid([]byte(c.Data)) {
		return errors.New("--data is not JSON")
	}
	return c.send(w, http.MethodPost, c.Path, []byte(c.Data), cmp.Or(c.IdempotencyKey, rand.Text()), c.Field)
}

// send makes one request of the partner API and prints the response: JSON indented, or one member of it, and files as
// they are.
func (a access) send(w *world, method, path string, body []byte, key, field string) error {
	p, err := a.open(w)
	if err != nil {
		return err
	}
	at, err := url.Parse(path)
	if err != nil || at.IsAbs() || at.Host != "" || !strings.HasPrefix(at.Path, "/") {
		return errors.New("the path must begin with /, such as /api/charges")
	}
	ctx, cancel := context.WithTimeout(w.ctx, requestTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, p.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set("X-App-ID", strconv.FormatInt(p.app, 10))
	r.Header.Set("X-API-Key", p.key)
	r.Header.Set("User-Agent", "svcpay-cli")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
	}
	// A redirect could lead the key elsewhere.
	here := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := here.Do(r)
	if err != nil && key != "" { // it may have arrived
		return fmt.Errorf("%w\nThe outcome is unknown. Repeat the request with --idempotency-key %s", err, key)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return fmt.Errorf("read the response: %w", err)
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		return fmt.Errorf("%s\n%s", response.Status, strings.TrimSpace(string(text)))
	}
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "application/json" {
		_, err = w.stdout.Write(text)
		return err
	}
	return printMember(w.stdout, text, field)
}

type credentialsCommand struct {
	File  string `name:"credentials" placeholder:"FILE" help:"The file that svcpay dev wrote (SVCPAY_CREDENTIALS; by default credentials.json in the state directory)."`
	Field string `arg:"" optional:"" help:"Print one member only, such as secret_key or merchants.us."`
}

// Run prints the credentials of svcpay dev.
func (c credentialsCommand) Run(w *world) error {
	file := credentialsPath(w, c.File)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w (%s): start svcpay dev first", errNoAccess, file)
	}
	if err != nil {
		return err
	}
	return printMember(w.stdout, text, c.Field)
}

// printMember prints the member of a JSON text that a path of names and places leads to, such as data.0.id: a string as
// it is, everything else as indented JSON. An empty path leads to the whole.
func printMember(to io.Writer, text []byte, path string) error {
	member := gjson.ParseBytes(text)
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		if member = member.Get(step); !member.Exists() {
			return fmt.Errorf("%s: the response has no %q", path, step)
		}
	}
	if path != "" && member.Type == gjson.String {
		_, err := fmt.Fprintln(to, member.Str)
		return err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(member.Raw), "", "  "); err != nil {
		return err
	}
	_, err := fmt.Fprintln(to, strings.TrimSpace(out.String()))
	return err
}
