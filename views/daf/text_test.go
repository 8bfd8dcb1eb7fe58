package daf

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"svcpay/views/text"
)

// verb is a place for a value in a text.
var verb = regexp.MustCompile(`%[sd]`)

// words lists every text of a language by its path.
func words(path string, v reflect.Value, out map[string]string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			words(path+"."+v.Type().Field(i).Name, v.Field(i), out)
		}
	case reflect.Array:
		for i := range v.Len() {
			words(fmt.Sprint(path, ".", i), v.Index(i), out)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			words(path+"."+key.String(), v.MapIndex(key), out)
		}
	default:
		out[path] = v.String()
	}
}

// TestEveryLanguageSaysEverything walks all texts of all languages: none is missing or English by mistake, and the
// values are in the same order.
func TestEveryLanguageSaysEverything(t *testing.T) {
	t.Parallel()
	all := map[text.Language]map[string]string{}
	for _, l := range text.ModalLanguages() {
		all[l] = map[string]string{}
		words("", reflect.ValueOf(*TextOf(l)), all[l])
		if all[l][".Language"] != string(l) {
			t.Errorf("%s has the texts of %s", l, all[l][".Language"])
		}
	}
	same := []string{".Offline.EIN", ".Frame.Error"} // written alike in another language
	for l, said := range all {
		if len(said) != len(all["en"]) {
			t.Errorf("%s has %d texts, English %d", l, len(said), len(all["en"]))
		}
		for path, english := range all["en"] {
			mine := said[path]
			switch {
			case strings.TrimSpace(mine) == "":
				t.Errorf("%s: %s is missing", l, path)
			case fmt.Sprint(verb.FindAllString(mine, -1)) != fmt.Sprint(verb.FindAllString(english, -1)):
				t.Errorf("%s: %s has other values than English: %q", l, path, mine)
			case l != "en" && mine == english && !strings.Contains(strings.Join(same, " "), path):
				t.Errorf("%s: %s is English: %q", l, path, mine)
			case strings.ContainsAny(mine, "'\""):
				t.Errorf("%s: %s has a straight quote: %q", l, path, mine)
			}
		}
	}
	if said := all["fr-CA"]; said[".Gift.Email"] == all["fr"][".Gift.Email"] ||
		said[".Gift.City"] != all["fr"][".Gift.City"] {
		t.Error("Canadian French is not French with its own words")
	}
}

// A donor's deduction was for the gift to the fund: nothing that a donor reads of a grant is about taxes.
func TestNothingIsSaidOfDeductions(t *testing.T) {
	t.Parallel()
	taxes := regexp.MustCompile(`(?i)\btax|deduct|deduci|deducc|déduc|impuesto|impôt|\bfiscal|receipt|recibo|reçu\b`)
	for _, l := range text.ModalLanguages() {
		said := map[string]string{}
		words("", reflect.ValueOf(*TextOf(l)), said)
		for path, mine := range said {
			if taxes.MatchString(mine) {
				t.Errorf("%s: %s is about taxes: %q", l, path, mine)
			}
		}
	}
}

func TestFoundFunds(t *testing.T) {
	t.Parallel()
	for language, want := range map[text.Language]string{
		"en": "No funds found. 1 funds 1 fund found 12 funds found",
		"fr": "Aucun fonds trouvé. 1 fonds 1 fonds trouvé 12 fonds trouvés",
	} {
		w := TextOf(language)
		if got := fmt.Sprint(w.Found("x", 0), " ", w.Found("", 1), " ", w.Found("x", 1), " ",
			w.Found("x", 12)); got != want {
			t.Errorf("%s: %s", language, got)
		}
	}
}
