package main

import (
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestQuantiles(t *testing.T) {
	t.Parallel()
	var all []time.Duration
	for i := range 100 {
		all = append(all, time.Duration(i+1))
	}
	for share, want := range map[float64]time.Duration{0.5: 50, 0.95: 95, 0.99: 99, 1: 100, 0: 1} {
		if got := quantile(all, share); got != want {
			t.Errorf("%v: %d, want %d", share, got, want)
		}
	}
	if quantile(nil, 0.5) != 0 || quantile(all[:1], 0.99) != 1 {
		t.Error("of none, or of one")
	}
}

func TestTimesOfProcesses(t *testing.T) {
	t.Parallel()
	p, err := parseStat("7 (a ) b) S 3 7 7 0 -1 4194560 1 2 3 4 100 20 3 1 20 0 1 0 5 6 7")
	if err != nil || p != (process{parent: 3, cpu: 1240 * time.Millisecond}) {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", "7 (x) S 1", "7 (x) S 1 7 7 0 -1 4194560 1 2 3 4 x 20 3 1 20"} {
		if _, err := parseStat(bad); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
	all := map[int]process{1: {0, 1}, 2: {1, 10}, 3: {2, 100}, 4: {1, 1000}, 5: {9, 10000}}
	if tree(all, 2) != 110 || tree(all, 1) != 1111 || tree(all, 8) != 0 {
		t.Error("trees are summed wrongly")
	}
	if _, ok := processes()[os.Getpid()]; !ok || busy() <= 0 || resident(os.Getpid()) < 1 {
		t.Error("this machine's are not read")
	}
	if got := (spent{server: 20, database: 30, generator: 40, machine: 100}).foreign(); got < 0.099 || got > 0.101 {
		t.Errorf("foreign share %v", got)
	}
}

func TestLogOfPgbench(t *testing.T) {
	t.Parallel()
	got, err := appendLog(nil, []byte("0 1 1500 0 1700000000 5\n1 1 20 0 1700000000 9\n"))
	if err != nil || !slices.Equal(got, []time.Duration{1500 * time.Microsecond, 20 * time.Microsecond}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"0 1\n", "0 1 failed 0\n"} {
		if _, err := appendLog(nil, []byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

// listen serves a handler, and returns where.
func listen(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { _ = s.Close() })
	return l.Addr().String()
}

func TestClosedLoopAsksEachTurnOnce(t *testing.T) {
	t.Parallel()
	var seen, right atomic.Int64
	addr := listen(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		n, _ := strconv.Atoi(string(body))
		switch seen.Add(1); {
		case n%10 == 3:
			w.WriteHeader(503)
		case n%2 == 0:
			w.(http.Flusher).Flush() // in chunks
		}
		_, _ = io.WriteString(w, strings.Repeat(string(body), 3000))
	})
	l := load{addr: addr, connections: 4, most: 200,
		call: func(turn int) []byte { return request("POST", "/", "x", "", strconv.Itoa(turn)) },
		answered: func(turn, _ int, body []byte) {
			if string(body) == strings.Repeat(strconv.Itoa(turn), 3000) {
				right.Add(1)
			}
		}}
	o, err := l.closed(time.Minute)
	if err != nil || seen.Load() != 200 || right.Load() != 200 || o.statuses[200] != 180 || o.statuses[503] != 20 ||
		len(o.latencies) != 180 || len(o.refused) != 20 {
		t.Errorf("%v, %d asked, %d right, %v, %d and %d", err, seen.Load(), right.Load(), o.statuses, len(o.latencies),
			len(o.refused))
	}
	if !slices.IsSorted(o.latencies) {
		t.Error("latencies are not sorted")
	}
}

func TestConnectionsTakeServersInTurn(t *testing.T) {
	t.Parallel()
	var seen [2]atomic.Int64
	var all sync.WaitGroup
	all.Add(6)
	server := func(i int) http.HandlerFunc {
		return func(http.ResponseWriter, *http.Request) {
			seen[i].Add(1)
			all.Done()
			all.Wait() // each connection has one request
		}
	}
	get := request("GET", "/", "x", "", "")
	l := load{addr: listen(t, server(0)), also: []string{listen(t, server(1))}, connections: 6, most: 6,
		call: func(int) []byte { return get }}
	if o, err := l.closed(time.Minute); err != nil || seen[0].Load() != 3 || seen[1].Load() != 3 ||
		o.statuses[200] != 6 {
		t.Errorf("%v: %d and %d, %v", err, seen[0].Load(), seen[1].Load(), o.statuses)
	}
}

func TestOpenLoopCountsFromThePlannedStart(t *testing.T) {
	t.Parallel()
	addr := listen(t, func(w http.ResponseWriter, _ *http.Request) { time.Sleep(20 * time.Millisecond) })
	get := request("GET", "/", "x", "", "")
	o, err := load{addr: addr, connections: 1, call: func(int) []byte { return get }}.open(200, 200*time.Millisecond)
	if err != nil || len(o.latencies) != 40 { // 200 a second planned, 50 possible
		t.Fatalf("%v, %d", err, len(o.latencies))
	}
	if last := o.latencies[39]; last < 400*time.Millisecond {
		t.Errorf("the last took %v: what it waited for its turn is not counted", last)
	}
}

func TestGoalsAndGates(t *testing.T) {
	t.Parallel()
	atLeast, atMost := goal{gate: 0.7, goal: 1}, goal{gate: 1.3, goal: 0.8, less: true}
	for _, c := range []struct {
		g     goal
		ratio float64
		word  string
	}{{atLeast, 1, "goal"}, {atLeast, 0.7, "gate"}, {atLeast, 0.69, "MISSED"}, {atMost, 0.8, "goal"},
		{atMost, 1.2, "gate"}, {atMost, 1.4, "MISSED"}} {
		r := resultOf(c.g, []float64{9, c.ratio, 0})
		if r.word() != c.word || r.Median != c.ratio || r.Min != 0 || r.Max != 9 {
			t.Errorf("%+v is %s, want %s", r, r.word(), c.word)
		}
	}
	near, far := once("G1", "x", 0.7, 1, false, 0.4), once("G3", "y", 1.3, 0.8, true, 2.7)
	near.Steady, far.Steady = true, true
	slow := once("G4", "z", 1.2, 0.7, true, 99)
	if err := farFromGates([]result{near, slow}); err != nil {
		t.Error(err)
	}
	if err := farFromGates([]result{near, far}); err == nil || !strings.Contains(err.Error(), "G3") {
		t.Errorf("%v", err)
	}
	for _, r := range []result{near, slow, far} {
		if err := beyondGates([]result{r}); (err != nil) != (r.word() == "MISSED") {
			t.Errorf("%+v is %s, and what is said of it %v", r, r.word(), err)
		}
	}
	watched := goal{id: "G7", gate: 0.7, goal: 1}
	if r := resultOf(watched, []float64{0.6}); r.word() != "watch" || beyondGates([]result{r}) != nil {
		t.Errorf("%+v, which is only watched, is %s", r, r.word())
	}
	left := resultOf(atLeast, nil)
	if left.Steady = true; !strings.HasPrefix(left.word(), "not measured") || farFromGates([]result{left}) != nil ||
		beyondGates([]result{left}) != nil {
		t.Errorf("nothing was measured, and that is %s", left.word())
	}
	for _, g := range goals() {
		if v := g.ratio(everyCell(regexp.MustCompile(steadyCells))); g.steady && (v != v || v <= 0 || v > 2) {
			t.Errorf("a short run leaves out cells of %s", g.what)
		}
		if g.less != (g.gate > g.goal) || g.ratio == nil {
			t.Errorf("%+v", g)
		}
	}
}

func TestClustersWithoutPgbenchAreTold(t *testing.T) {
	t.Parallel()
	c := &cluster{bin: t.TempDir()}
	if c.benches() {
		t.Error("an empty directory has pgbench")
	}
	if err := os.WriteFile(filepath.Join(c.bin, "pgbench"), nil, 0o755); err != nil || !c.benches() {
		t.Errorf("it is not found: %v", err)
	}
	floors := 0
	for _, one := range (&bench{}).cells() {
		if one.floor {
			floors++
		}
	}
	if floors != 3 {
		t.Errorf("%d cells are pgbench's", floors)
	}
}

// everyCell is a round of the cells that match, all of which cost the same.
func everyCell(matching *regexp.Regexp) round {
	one := make(round)
	for _, c := range (&bench{}).cells() {
		if matching.MatchString(c.name) {
			one[c.name] = figure{Rate: 1, Server: 1, Database: 1}
		}
	}
	return one
}

func TestStatementsOfAPageAreCounted(t *testing.T) {
	t.Parallel()
	log := []byte(
		"svcpay LOG:  execute stmtcache_1: SELECT a\n\tFROM b\nsvcpay LOG:  statement: begin\nbench LOG:  statement: SELECT 1\n" +
			" LOG:  statement: ALTER SYSTEM RESET x\nsvcpay ERROR:  canceling statement\nsvcpay LOG:  execute stmtcache_1: SELECT a\n")
	want := map[string]int{"execute stmtcache_1: SELECT a\n": 2, "statement: begin\n": 1}
	if got := statementsIn(log); !maps.Equal(got, want) || len(statementsIn(nil)) != 0 {
		t.Errorf("%v, want %v", got, want)
	}
	with, without := map[string]int{"list": 100, "twice": 203, "work": 57, "other": 12}, map[string]int{
		"work": 40, "twice": 5, "none": 300}
	if n := eachOf(with, without, 100); n != 3 {
		t.Errorf("%d statements a page, want 3", n)
	}
}
