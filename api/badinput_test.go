package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// The badinput files are the suite of requests that are wrong, by surface: what is no JSON, members,
// values, queries, ids, headers, and the wire. Cases that follow from the form of an operation are
// made of the contract for every operation, so that a new one is covered on its own.

// bad is a request that is wrong, and what must be said of it.
type bad struct {
	name   string
	call   call
	status int
	code   string
	// params are all parameters that the answer names, in its order. The name "" stands for one that
	// cannot be repeated.
	params []string
}

// trap is a site that says what a server wrote, to its database and to its log.
type trap struct {
	*site
	log *spool
}

// spool keeps what is logged.
type spool struct {
	sync.Mutex
	text bytes.Buffer
}

func (s *spool) Write(p []byte) (int, error) {
	s.Lock()
	defer s.Unlock()
	return s.text.Write(p)
}

func (s *spool) String() string {
	s.Lock()
	defer s.Unlock()
	return s.text.String()
}

func setTrap(t *testing.T) trap {
	t.Helper()
	w := fixture.New(t)
	log := new(spool)
	c := configOf(w)
	c.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	return trap{serve(t, w, c, time.Minute), log}
}

// refuse sends every case and demands its answer, and that none of them left a trace.
func (s trap) refuse(t *testing.T, cases []bad) {
	t.Helper()
	before := s.written(t)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			a := s.send(t, c.call)
			told(t, a, c)
			untraced(t, a)
		})
	}
	if d := cmp.Diff(before, s.written(t)); d != "" {
		t.Errorf("something was written:\n%s", d)
	}
	if text := s.log.String(); strings.Contains(text, marker) {
		t.Errorf("the log repeats what was submitted:\n%s", text)
	}
}

// told demands the status, the code and the names of a case.
func told(t testing.TB, a answer, c bad) {
	t.Helper()
	if a.want(t, c.status, c.code); a.status >= http.StatusInternalServerError {
		t.Errorf("a bad request is answered %d", a.status)
	}
	e := a.error()
	var params []string
	for _, f := range e.Errors {
		if params = append(params, f.Param); f.Message == "" {
			t.Errorf("%s has no message", f.Param)
		}
	}
	if len(params) == 0 && e.Param != "" {
		params = []string{e.Param}
	}
	if !slices.Equal(params, c.params) {
		t.Errorf("the answer names %q, not %q: %s", params, c.params, a.body)
	}
	if len(params) > 0 && e.Param != params[0] {
		t.Errorf("param is %q of %q", e.Param, params)
	}
}

// untraced demands that an answer repeats nothing that was submitted.
func untraced(t testing.TB, a answer) {
	t.Helper()
	if bytes.Contains(a.body, []byte(marker)) || strings.Contains(fmt.Sprint(a.header), marker) {
		t.Errorf("the answer repeats what was submitted: %v %s", a.header, a.body)
	}
}

// written describes every table but the log of requests: how many rows it has and, where requests
// do not touch rows by being made, by which transactions they were written.
func (s *site) written(t testing.TB) map[string]string {
	t.Helper()
	type table struct{ Name, State string }
	tables, err := pg.All[table](t.Context(), s.Pool, `
		SELECT tablename AS name, (xpath('/row/s/text()', query_to_xml(format(
			CASE WHEN tablename IN ('api_keys') THEN 'SELECT count(*) || '' rows'' AS s FROM %I'
			ELSE 'SELECT count(*) || '' rows, '' || coalesce(sum(xmin::text::bigint), 0) AS s FROM %I' END, tablename),
				false, true, '')))[1]::text AS state
		FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'river%'
			AND tablename NOT LIKE 'request_log%'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string, len(tables))
	for _, table := range tables {
		out[table.Name] = table.State
	}
	return out
}
