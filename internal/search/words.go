package search

import "strings"

// Letters that count as others, and marks that part words, beyond ASCII. The function search_words of the
// database has the same table: an index must not depend on a locale.
const (
	folded = "ÀÁÂÃÄÅàáâãäåĀāĂăĄąÇçĆćČčĎďĐđÈÉÊËèéêëĒēĘęĚěĞğÌÍÎÏìíîïĪīİıŁłÑñŃńŇňÒÓÔÕÖØòóôõöøŌōŐőŘřŚśŞşŠšȘșŤťȚțÙÚÛÜùúûüŪūŮůŰűÝýÿŸŹźŻżŽž\u00a0«»‘’“”–—…"
	plain  = "aaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeeggiiiiiiiiiiiillnnnnnnoooooooooooooooorrssssssssttttuuuuuuuuuuuuuuyyyyzzzzzz          "
)

var foldings = func() map[rune]rune {
	out := make(map[rune]rune)
	to := []rune(plain)
	for i, r := range []rune(folded) {
		out[r] = to[i]
	}
	return out
}()

// Words takes a text apart as the index does: runs of letters and digits, in lowercase and without accents.
// What is beyond ASCII and in no table of ours is a letter.
func Words(text string) []string {
	return strings.FieldsFunc(strings.Map(func(r rune) rune {
		if to, ok := foldings[r]; ok {
			return to
		}
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, text), func(r rune) bool {
		return r < 0x80 && (r < '0' || r > '9') && (r < 'a' || r > 'z')
	})
}
