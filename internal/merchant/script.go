package merchant

import (
	"slices"
	"strings"
	"unicode"
)

// writings lists the scripts that one word may mix: those of Japanese, Chinese and Korean, with Latin (Unicode TS #39,
// Highly Restrictive).
var writings = [][]string{{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"},
	{"Latin", "Han", "Hangul"}}

// mixesScripts reports whether a label of host, shown in its own letters, mixes scripts: a Cyrillic letter among Latin
// ones makes a name that looks like another.
func mixesScripts(host string) bool {
	shown, err := hosts.ToUnicode(host)
	return err != nil || slices.ContainsFunc(strings.Split(shown, "."), mixed)
}

func mixed(label string) bool {
	var scripts []string
	for _, r := range label {
		if s := script(r); s != "" && !slices.Contains(scripts, s) {
			scripts = append(scripts, s)
		}
	}
	fits := func(writing []string) bool {
		return !slices.ContainsFunc(scripts, func(s string) bool { return !slices.Contains(writing, s) })
	}
	return len(scripts) > 1 && !slices.ContainsFunc(writings, fits)
}

// script is the name of a letter's script; "" for digits, hyphens and marks, which every script uses.
func script(r rune) string {
	for name, table := range unicode.Scripts {
		if name != "Common" && name != "Inherited" && unicode.Is(table, r) {
			return name
		}
	}
	return ""
}
