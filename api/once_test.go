package api

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/platform/pg"
)

// sameAtOnce is how many times a request is sent at the same time.
const sameAtOnce = 8

// creations are the calls of every operation that makes an object and can be told to do so once. The
// body of each is its least example, with what it names replaced by what exists.
func creations(t testing.TB) (out []call) {
	t.Helper()
	for _, c := range everyRoute(t) {
		if c.op.Responses.Status(201) != nil {
			if !withKey(c) {
				t.Errorf("%s makes something, and takes no Idempotency-Key", c.name())
			}
			out = append(out, c)
		}
	}
	return out
}

func TestEveryCreationHappensOnce(t *testing.T) {
	t.Parallel()
	s := setTrap(t)
	mine, again := s.own().theirObjects(t), s.own().theirObjects(t)
	s.on(t, "POST", "/api/sandbox/clock", `{"advance":"0s"}`, "of-another").want(t, 200, "")
	for _, c := range creations(t) {
		t.Run(c.op.OperationID, func(t *testing.T) {
			one := s.growth(t, func() {
				s.send(t, c.valid(t, mine).header1("Idempotency-Key", "one-"+c.op.OperationID)).want(t, 201, "")
			})
			several := s.growth(t,
				func() { s.sameAtOnce(t, c.valid(t, again).header1("Idempotency-Key", "several-"+c.op.OperationID)) })
			if d := cmp.Diff(one, several); d != "" {
				t.Errorf("one request leaves other rows than %d equal ones (-one +several):\n%s", sameAtOnce, d)
			}
			s.send(t, c.valid(t, mine).header1("Idempotency-Key", "of-another")).want(t, 422, "idempotency_key_reused")
			s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL
				WHERE key = @key`, pg.Args{"key": "one-" + c.op.OperationID})
			s.send(t, c.valid(t, mine).header1("Idempotency-Key", "one-"+c.op.OperationID)).want(t, 409,
				"idempotency_key_in_use")
		})
	}
}

// growth counts the rows that every table has more after something was done.
func (s *site) growth(t *testing.T, do func()) map[string]int {
	t.Helper()
	before := s.written(t)
	do()
	out := make(map[string]int)
	for table, state := range s.written(t) {
		if n := rowsIn(t, state) - rowsIn(t, before[table]); n != 0 {
			out[table] = n
		}
	}
	return out
}

func rowsIn(t *testing.T, state string) int {
	t.Helper()
	n, err := strconv.Atoi(state[:strings.Index(state, " ")])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// sameAtOnce sends equal requests with one key at the same time, again while the key is in use, and
// demands one answer, given first to one of them.
func (s *site) sameAtOnce(t *testing.T, c call) {
	t.Helper()
	answers := make([]answer, sameAtOnce)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			for answers[i] = s.send(t, c); answers[i].status == 409; answers[i] = s.send(t, c) {
				answers[i].want(t, 409, "idempotency_key_in_use")
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	first := 0
	for _, a := range answers {
		if a.want(t, 201, ""); !a.replayed() {
			first++
		}
		if !bytes.Equal(a.body, answers[0].body) || a.header.Get("Location") != answers[0].header.Get("Location") ||
			a.header.Get("ETag") != answers[0].header.Get("ETag") {
			t.Errorf("answered\n%v %s\nand\n%v %s", answers[0].header, answers[0].body, a.header, a.body)
		}
	}
	if first != 1 {
		t.Errorf("%d of %d requests were the first", first, len(answers))
	}
}
