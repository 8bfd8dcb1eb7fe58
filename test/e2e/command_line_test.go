package e2e

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/testing/pgtest"
)

// replacements have an example for what differs with each run.
type replacements []struct {
	what *regexp.Regexp
	with string
}

// Replace puts the examples in.
func (r replacements) Replace(text string) string {
	for _, one := range r {
		text = one.what.ReplaceAllString(text, one.with)
	}
	return text
}

// varying is what commands print that differs with each run.
var varying = replacements{
	{regexp.MustCompile(`http://localhost:\d+/`), "http://localhost:3000/"},
	{regexp.MustCompile(`whsec_[A-Za-z0-9+/]{43}=`), "whsec_bm90IGEgc2VjcmV0IGJ1dCBhIHRleHQgb2YgMzIgYnk="},
	{regexp.MustCompile(`v1,[A-Za-z0-9+/]{43}=`), "v1,bm90IGEgc2lnbmF0dXJlIGJ1dCBhIHRleHQgb2YgMzI="},
	// how long it takes depends on the day of the week
	{regexp.MustCompile(`(?m)^#\d+ +(\S+) +payout`), "#33  $1  payout"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ`), "2026-12-01T09:00:00Z"},
	{regexp.MustCompile(`\d+ ms\b`), "1 ms"},
	{regexp.MustCompile(`(?m)^webhook-timestamp: \d+$`), "webhook-timestamp: 1796115600"},
	{regexp.MustCompile(`\d+(h\d+)?(m\d+)?s from now`), "49h0m1s from now"},
	{regexp.MustCompile(`(\d+m)?\d+s ago\.`), "1s ago."},
}

var sequence = regexp.MustCompile(`(#|there are )(\d+)`)

// TestCommandLineDocument runs the commands of docs/command-line.md and holds it to what they print, in whose log there
// are six events at first.
func TestCommandLineDocument(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	d := startDev(t, stateDir(t), []string{"DATABASE_URL=" + url})
	allNumbered(t, url)
	before := len(d.log(t, 0, ""))
	d.play(t, root+"/docs/command-line.md", func(printed string) string {
		printed = sequence.ReplaceAllStringFunc(printed, func(all string) string {
			part := sequence.FindStringSubmatch(all)
			n, err := strconv.Atoi(part[2])
			if err != nil {
				t.Fatal(err)
			}
			return part[1] + strconv.Itoa(n-before+6)
		})
		return varying.Replace(d.asShown(printed))
	})
}

// allNumbered waits until every event of a database is in a log.
func allNumbered(t *testing.T, url string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	eventually(t, patience, "the numbers of all events", func() bool {
		var waits bool
		if err := conn.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM events
			WHERE sequence IS NULL AND NOT test)`).Scan(&waits); err != nil {
			t.Fatal(err)
		}
		return !waits
	})
}
