package pg

import (
	"reflect"
	"regexp"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgtype"
)

// A list's statement has a condition for each of its filters, in a line of its own:
//
//	AND (@statuses::text[] IS NULL OR status = ANY (@statuses))
//
// Few filters are set at a time. The lines of those that are not are left out of what is sent, as they select all:
// to read a dozen of them takes the server longer than to find the rows of a page.
var (
	filterLine = regexp.MustCompile(`^\s*AND \(@([a-z_][a-z_0-9]*)::[a-z]+(?:\[\])? IS NULL OR .*\)$`)
	argument   = regexp.MustCompile(`@[a-z_][a-z_0-9]*`)
	quoted     = regexp.MustCompile(`'[^']*'`)
)

// line is a line of a statement.
type line struct {
	text   string
	filter string   // the argument without which it selects all; "" if it is no filter's
	names  []string // of all its arguments
}

// listed are the lines of statements that were sent, by their texts: as many as there are constants in the program.
var listed sync.Map

func linesOf(sql string) []line {
	if known, ok := listed.Load(sql); ok {
		return known.([]line)
	}
	var out []line
	for text := range strings.Lines(sql) {
		l := line{text: text}
		if found := filterLine.FindStringSubmatch(strings.TrimRight(text, "\n")); found != nil && one(text) {
			l.filter = found[1]
		}
		for _, name := range argument.FindAllString(text, -1) {
			l.names = append(l.names, name[1:])
		}
		out = append(out, l)
	}
	listed.Store(sql, out)
	return out
}

// one reports whether a line is one condition in parentheses: another may stand behind it, and is no filter's.
func one(text string) bool {
	text = strings.TrimSpace(quoted.ReplaceAllString(text, ""))
	depth := 0
	for i, r := range text {
		switch r {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i == len(text)-1
			}
		}
	}
	return false
}

// asked is a list's statement without the filters that are not set, and options that say how it is planned.
func asked(sql string, args Args) (string, Args, []any) {
	var text strings.Builder
	text.Grow(len(sql))
	left, gone := make(Args, len(args)), map[string]bool{}
	for _, l := range linesOf(sql) {
		if l.filter != "" && null(args[l.filter]) {
			for _, name := range l.names {
				gone[name] = true
			}
			continue
		}
		text.WriteString(l.text)
		for _, name := range l.names {
			if v, ok := args[name]; ok {
				left[name] = v
			}
		}
	}
	for name, v := range args {
		if !gone[name] {
			left[name] = v // in no line at all, too, which is complained of
		}
	}
	if walks(text.String(), left) {
		return text.String(), left, nil
	}
	return text.String(), left, []any{forTheseArguments}
}

// walks reports whether a statement with these arguments reads along one index as far as a limit, anyone who asks: the
// plan for that may be kept.
func walks(sql string, args Args) bool {
	for name := range args {
		if name != "application_id" && name != "limit" && name != "cursor" {
			return false
		}
	}
	return strings.Contains(sql, "LIMIT")
}

// null reports whether an argument is sent as NULL.
func null(v any) bool {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		if r.IsNil() {
			return true
		}
	}
	id, ok := v.(pgtype.UUIDValuer)
	if !ok {
		return false
	}
	u, err := id.UUIDValue()
	return err == nil && !u.Valid
}
