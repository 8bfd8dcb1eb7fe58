package search

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"svcpay/internal/fault"
)

func text(at int, s string) value { return value{At: at, Text: s} }

func word(at int, s string) term {
	return term{At: at, Values: []value{text(at, s)}}
}

func on(at int, name string, of op, values ...value) term {
	return term{At: at, Field: name, Op: of, Values: values}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]terms{
		"smith":                            {word(1, "smith")},
		"  smith \t jones ":                {word(3, "smith"), word(11, "jones")},
		`"smith jones"`:                    {{At: 1, Values: []value{{At: 1, Text: "smith jones", Quoted: true}}}},
		`"a \"b\" \\"`:                     {{At: 1, Values: []value{{At: 1, Text: `a "b" \`, Quoted: true}}}},
		"smi*":                             {{At: 1, Values: []value{{At: 1, Text: "smi", Prefix: true}}}},
		"-smith":                           {{At: 1, Not: true, Values: []value{text(2, "smith")}}},
		`-"x"`:                             {{At: 1, Not: true, Values: []value{{At: 2, Text: "x", Quoted: true}}}},
		"gift-88213, and":                  {word(1, "gift-88213,"), word(13, "and")},
		"status:failed":                    {on(1, "status", is, text(8, "failed"))},
		"status:failed,voided":             {on(1, "status", is, text(8, "failed"), text(15, "voided"))},
		`external_id:"a, b",c`:             {on(1, "external_id", is, text(13, "a, b"), text(20, "c"))},
		"amount>10000 amount<=20":          {on(1, "amount", above, text(8, "10000")), on(14, "amount", atMost, text(22, "20"))},
		"amount>=1 -amount<2":              {on(1, "amount", atLeast, text(9, "1")), {At: 11, Not: true, Field: "amount", Op: below, Values: []value{text(19, "2")}}},
		"metadata.order:77":                {{At: 1, Field: "metadata", Key: "order", Op: is, Values: []value{text(16, "77")}}},
		`metadata."my key":""`:             {{At: 1, Field: "metadata", Key: "my key", Op: is, Values: []value{text(19, "")}}},
		"created_at>=2026-12-01T09:30:00Z": {on(1, "created_at", atLeast, text(13, "2026-12-01T09:30:00Z"))},
		"é:x":                              nil,
		"amount>=>1":                       {on(1, "amount", atLeast, text(9, ">1"))},
		"Émile 3.50":                       {word(1, "Émile"), word(7, "3.50")},
	} {
		got, err := parse(q)
		if d := cmp.Diff(want, got); d != "" || (err != nil) != (want == nil) {
			t.Errorf("%q, %v (-want +got):\n%s", q, err, d)
		}
	}
}

func TestMistakesAreToldWithTheirPlace(t *testing.T) {
	t.Parallel()
	for q, want := range map[string]string{
		"":                               "At character 1: a term is missing",
		"   ":                            "At character 4: a term is missing",
		"-":                              "At character 2: a term is missing",
		"a - b":                          "At character 4: a term is missing",
		"--a":                            "At character 2: a term is missing",
		"*":                              "At character 1: a term is missing",
		"smith jo*nes":                   "At character 9: * is allowed only at the end",
		"ünï*x":                          "At character 4: * is allowed only at the end",
		`a"b"`:                           "At character 2: put a space before",
		`"a"b`:                           "At character 4: put a space after",
		`status:"a"b`:                    "At character 11: put a space after",
		`status:a"b"`:                    "At character 9: a quotation mark stands before and after",
		`status:"a`:                      "At character 8: this quotation mark has no second",
		`smith "`:                        "At character 7: this quotation mark has no second",
		`"a\n"`:                          `At character 3: in quotes, \ stands`,
		`"a\`:                            `At character 3: in quotes, \ stands`,
		"status:":                        "At character 8: a value is missing",
		"status: failed":                 "At character 8: a value is missing",
		"status:a,,b":                    "At character 10: a value is missing",
		"status:a,":                      "At character 10: a value is missing",
		"amount>1,2":                     "At character 9: several values go with : only",
		"http://x":                       "At character 6: ",
		":x":                             "At character 1: a field's name",
		"x -sta-tus:1":                   "At character 4: a field's name",
		"metadata.:1":                    "At character 10: a key stands after the point",
		"metadata.a.b:1":                 "At character 10: a key stands after the point",
		`metadata."":1`:                  "At character 10: a key stands after the point",
		`metadata."a" b`:                 "At character 13: a comparison is missing",
		`metadata."a`:                    "At character 10: this quotation mark has no second",
		"a\x00b":                         "At character 2: control characters",
		"ab\xff":                         "At character 3: this is not UTF-8",
		strings.Repeat("a", 501):         "At character 501: the search is too long; 500 ",
		strings.Repeat("é ", 300):        "At character 501: the search is too long; 500 ",
		strings.Repeat("a ", 21):         "At character 41: there are too many terms; 20 ",
		"x:1" + strings.Repeat(",1", 20): "At character 42: there are too many values; 20 ",
	} {
		got, err := parse(q)
		f, ok := fault.As(err)
		if want == "At character 6: " { // form is all that is looked at here
			if err != nil || got[0].Field != "http" {
				t.Errorf("%q: %v, %v", q, got, err)
			}
			continue
		}
		if !ok || f.Code != "parameter_invalid" || f.Param != "q" || !strings.HasPrefix(f.Message, want) {
			t.Errorf("%q: %v, want %s", q, err, want)
		}
	}
	for _, q := range []string{strings.Repeat("é", 500), strings.Repeat("a ", 20), "x:1" + strings.Repeat(",1", 19)} {
		if _, err := parse(q); err != nil {
			t.Errorf("%q: %v", q, err)
		}
	}
}

// drawn is any query that can be written.
func drawn(t *rapid.T) terms {
	rest := rapid.StringMatching(`[^\x00-\x1f\x7f-\x9f]{0,12}`)
	name := rapid.StringMatching(`[A-Za-z0-9_]{1,8}`)
	n := rapid.IntRange(1, 5).Draw(t, "terms")
	var q terms
	for range n {
		term := term{Not: rapid.Bool().Draw(t, "not")}
		switch rapid.SampledFrom([]string{"word", "phrase", "field", "compared"}).Draw(t, "form") {
		case "word":
			v := value{Text: rapid.StringMatching(`[^-"*:<> \pZ\pC\s][^"*:<> \pZ\pC\s]{0,8}`).Draw(t, "word"),
				Prefix: rapid.Bool().Draw(t, "prefix")}
			term.Values = []value{v}
		case "phrase":
			term.Values = []value{{Text: rest.Draw(t, "phrase"), Quoted: true}}
		case "field":
			term.Field, term.Op = name.Draw(t, "name"), is
			if rapid.Bool().Draw(t, "keyed") {
				term.Key = "k" + rest.Draw(t, "key")
			}
			for range rapid.IntRange(1, 4).Draw(t, "values") {
				term.Values = append(term.Values, value{Text: rest.Draw(t, "value")})
			}
		case "compared":
			term.Field = name.Draw(t, "name")
			term.Op = rapid.SampledFrom([]op{above, atLeast, below, atMost}).Draw(t, "op")
			term.Values = []value{{Text: "0" + rest.Draw(t, "value")}}
		}
		q = append(q, term)
	}
	return q
}

var placeless = cmp.Options{cmpopts.IgnoreFields(term{}, "At"), cmpopts.IgnoreFields(value{}, "At")}

// Places rise, and each is that of the term's first character.
func placesOf(q terms, text string) error {
	runes := []rune(text)
	last := 0
	for _, term := range q {
		if term.At <= last || term.At > len(runes) || (runes[term.At-1] == '-') != term.Not {
			return fmt.Errorf("%q: a term at %d", text, term.At)
		}
		last = term.At
		for _, v := range term.Values {
			if v.At < last || v.At > len(runes) {
				return fmt.Errorf("%q: a value at %d", text, v.At)
			}
			last = v.At
		}
	}
	return nil
}

func TestPrintedQueryReadsTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		q := drawn(t)
		printed := q.String()
		if len([]rune(printed)) > maxLength {
			return
		}
		got, err := parse(printed)
		if err != nil {
			t.Fatalf("%q: %v", printed, err)
		}
		if d := cmp.Diff(q, got, placeless); d != "" {
			t.Fatalf("%q (-want +got):\n%s", printed, d)
		}
		if err := placesOf(got, printed); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzTerms(f *testing.F) {
	for _, q := range []string{
		"smith", `status:failed amount>10000 last4:4242 metadata.order:77 "smith"`, `-metadata."a b":"x,\"y\\",z`,
		"smi* -x", "a:b,c", `"`, "a\\", "\xff", ":", "x.", `x."`,
	} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parse(text)
		if err != nil {
			if said, ok := fault.As(err); !ok || said.Param != "q" ||
				!strings.HasPrefix(said.Message, "At character ") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if err := placesOf(q, text); err != nil {
			t.Error(err)
		}
		again, err := parse(q.String())
		if d := cmp.Diff(q, again, placeless); err != nil || d != "" {
			t.Errorf("%q prints as %q, %v (-want +got):\n%s", text, q, err, d)
		}
	})
}
