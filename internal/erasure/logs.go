package erasure

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"svcpay/internal/platform/pg"
)

// logBatch is how many entries of the request log one statement reads: it has seconds, and there may be millions.
const logBatch = 1000

// logsTx deletes what was asked and answered with the payer in it: nothing is decided by request logs. Anyone who is
// named there has both names in the query or the bodies; few entries have the first of any, which one pattern tells.
func (p payer) logsTx(ctx context.Context, tx *pg.Tx) error {
	var firsts, lasts, named []string
	for _, name := range p.names {
		first, last, _ := strings.Cut(name, "\n")
		firsts, lasts = append(firsts, word(written(first))), append(lasts, word(written(last)))
		named = append(named, written(first))
	}
	patterns := []string{}
	for _, address := range p.addresses() {
		patterns = append(patterns, written(address))
	}
	pattern := strings.Join(patterns, "|")
	var last [16]byte
	for {
		read, err := pg.Column[[16]byte](ctx, tx, `
			WITH page AS MATERIALIZED (
				SELECT id, lower(concat_ws(' ', path, query)) AS asked,
					lower(concat_ws(' ', path, query, request_body, response_body)) AS words,
					lower(concat_ws(' ', query, request_body, response_body)) AS said
				FROM request_logs WHERE application_id = @application_id AND id > @last ORDER BY id LIMIT @batch
			), gone AS (
				DELETE FROM request_logs l USING page w
				WHERE l.application_id = @application_id AND l.id = w.id AND (position(lower(@address) IN w.words) > 0
					OR w.asked ~ @written OR @international AND w.words ~ @written
					OR w.said ~ @named AND EXISTS (SELECT
						FROM unnest(@firsts::text[], @lasts::text[]) AS n (first, last)
						WHERE w.said ~ n.first AND w.said ~ n.last))
			) SELECT id AS value FROM page ORDER BY id DESC LIMIT 1`,
			pg.Args{"application_id": p.applicationID, "address": p.address, "written": pattern,
				"international": len(patterns) > 1,
				"named":         word(strings.Join(named, "|")), "firsts": firsts, "lasts": lasts, "last": last,
				"batch": logBatch})
		if err != nil || len(read) == 0 {
			return err
		}
		last = read[0]
	}
}

// written is a pattern of a text in lowercase as a path, a query or a body has it: each character but letters and
// digits may be escaped, and one that the database's locale does not know is in either case.
func written(text string) string {
	var out strings.Builder
	for _, r := range strings.ToLower(text) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			out.WriteRune(r)
			continue
		}
		ways := []string{regexp.QuoteMeta(string(r)), escaped(r)}
		if upper := unicode.ToUpper(r); upper != r {
			ways = append(ways, string(upper), escaped(upper))
		}
		if r == ' ' {
			ways = append(ways, `\+`)
		}
		out.WriteString("(?:" + strings.Join(ways, "|") + ")")
	}
	return out.String()
}

// escaped is a character as a query escapes it, in lowercase.
func escaped(r rune) string {
	var out strings.Builder
	for _, b := range []byte(string(r)) {
		fmt.Fprintf(&out, "%%%02x", b)
	}
	return out.String()
}

// word is a pattern of what one matches where no letter or digit is next to it, save one that is part of an escape.
func word(pattern string) string {
	return `(?:^|[^[:alnum:]]|%[0-9a-f]{2}|\\[bfnrt])(?:` + pattern + `)(?:$|[^[:alnum:]])`
}
