package bank

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"svcpay/views/text"
)

// words lists every text of a language by its path.
func words(path string, v reflect.Value, out map[string]string) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			words(v.Type().Field(i).Name, v.Field(i), out)
		}
	case reflect.Array:
		for i := range v.Len() {
			words(path+string(rune('1'+i)), v.Index(i), out)
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
	verb := regexp.MustCompile(`%[sd]`)
	english := map[string]string{}
	words("", reflect.ValueOf(*TextOf(text.LanguageEnglish)), english)
	for _, l := range text.ModalLanguages() {
		said := map[string]string{}
		words("", reflect.ValueOf(*TextOf(l)), said)
		if said["Lang"] != string(l) || len(said) != len(english) {
			t.Errorf("%s has %d texts of %q, English %d", l, len(said), said["Lang"], len(english))
		}
		for path, original := range english {
			mine := said[path]
			switch {
			case strings.TrimSpace(mine) == "":
				t.Errorf("%s: %s is missing", l, path)
			case !reflect.DeepEqual(verb.FindAllString(mine, -1), verb.FindAllString(original, -1)):
				t.Errorf("%s: %s has other values than English: %q", l, path, mine)
			case l != text.LanguageEnglish && mine == original && path != "Error":
				t.Errorf("%s: %s is English: %q", l, path, mine)
			}
		}
	}
	if TextOf("fr").Email == TextOf("fr-CA").Email || TextOf("fr").Holder != TextOf("fr-CA").Holder {
		t.Error("French and Canadian French differ in other words than theirs")
	}
}
