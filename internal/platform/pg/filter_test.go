package pg

import (
	"maps"
	"testing"
	"time"

	"svcpay/internal/ids"
)

// What is sent of a list has the conditions of the filters that are set, and no argument of another.
func TestFiltersThatAreNotSetAreNotSent(t *testing.T) {
	t.Parallel()
	const head, names, from, oldest, twice, end = "SELECT id FROM t\n\tWHERE application_id = @application_id\n",
		"\t\tAND (@names::text[] IS NULL OR name = ANY (@names))\n",
		"\t\tAND (@from::timestamptz IS NULL OR at >= @from)\n", "\t\tAND (@oldest::uuid IS NULL OR id >= @oldest)\n",
		"\t\tAND (@from IS NULL OR (at, id) > (@from, @oldest))\n",
		"\t\tORDER BY id LIMIT @limit"
	const beside, within = "AND (@names::text[] IS NULL OR x = '(') AND (y = ')')\n",
		"AND (@names::text[] IS NULL OR (x AND (y = ')')))\n"
	const all = head + names + from + oldest + end
	now := time.Now()
	for name, tt := range map[string]struct {
		sql, want string
		args      Args
		gone      []string
		kept      bool
	}{
		"none is set":       {all, head + end, Args{"names": []string(nil), "from": (*time.Time)(nil), "oldest": ids.Charge{}}, []string{"names", "from", "oldest"}, true},
		"none is given":     {all, head + end, Args{"names": nil, "from": nil, "oldest": (*ids.Charge)(nil)}, []string{"names", "from", "oldest"}, true},
		"one of nothing":    {all, head + names + end, Args{"names": []string{}, "from": nil, "oldest": nil}, []string{"from", "oldest"}, false},
		"one":               {all, head + from + end, Args{"names": nil, "from": &now, "oldest": nil}, []string{"names", "oldest"}, false},
		"an id":             {all, head + oldest + end, Args{"names": nil, "from": nil, "oldest": ids.FirstCharge(now)}, []string{"names", "from"}, false},
		"all":               {all, all, Args{"names": []string{"a"}, "from": &now, "oldest": ids.FirstCharge(now)}, nil, false},
		"used elsewhere":    {head + from + oldest + twice + end, head + twice + end, Args{"from": nil, "oldest": nil}, nil, false},
		"one that it lacks": {head + end, head + end, Args{"names": nil}, nil, false},
		"beside another":    {head + beside + end, head + beside + end, Args{"names": nil}, nil, false},
		"with parentheses":  {head + within + end, head + end, Args{"names": nil}, []string{"names"}, true},
	} {
		tt.args["application_id"], tt.args["limit"] = 1, 51
		sql, args, how := asked(tt.sql, tt.args)
		left := maps.Clone(tt.args)
		for _, n := range tt.gone {
			delete(left, n)
		}
		same := maps.EqualFunc(args, left, func(a, b any) bool { return null(a) == null(b) })
		if sql != tt.want || !same || (how == nil) != tt.kept {
			t.Errorf("%s: %q, %v, %v", name, sql, args, how)
		}
	}
}

// A plan is kept of what is read along an index as far as a limit, and of nothing else.
func TestPlansAreKeptOfWhatIsBounded(t *testing.T) {
	t.Parallel()
	const all = "SELECT @application_id"
	for sql, args := range map[string]Args{all: {"application_id": 1},
		all + " LIMIT @limit": {"application_id": 1, "limit": 1, "words": "a"},
		all + ", @cursor":     {"application_id": 1, "cursor": 1}} {
		if _, _, how := asked(sql, args); how == nil {
			t.Errorf("%s with %v is planned once and for all", sql, args)
		}
	}
	for sql, args := range map[string]Args{all + " LIMIT @limit": {"application_id": 1, "limit": 1, "cursor": 1},
		all + " LIMIT 51": {"application_id": 1}} {
		if _, _, how := asked(sql, args); how != nil {
			t.Errorf("%s, a page of all that there is, is planned anew", sql)
		}
	}
}
