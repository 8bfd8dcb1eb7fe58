package identity

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/fault"
)

const (
	minPart    = 3 // a shorter part of a name or an address is in too many words
	minRun     = 4 // neighboring keys, or letters in the order of the alphabet
	minOwn     = 4 // letters and signs that a password has next to words, runs and digits
	minVariety = 5 // different characters
)

// commonWords are those that passwords are made of most often, and the service's own.
var commonWords = []string{"password", "passwort", "passphrase", "pass", "letmein", "iloveyou", "welcome", "admin",
	"administrator", "root", "user", "login", "guest", "default", "changeme", "secret", "master", "test", "hello",
	"monkey", "dragon", "shadow", "sunshine", "princess", "superman", "batman", "football", "baseball", "trustno1",
	"summer", "autumn", "winter", "spring", "abc", "svcpay", "svc", "payments", "payment", "pay", "portal", "sandbox"}

// rows are the keys of the keyboards that most people have, and the alphabet. A run goes either way.
var rows = func() []string {
	rows := []string{"qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop", "qsdfghjklm",
		"wxcvbn", "1234567890", "abcdefghijklmnopqrstuvwxyz", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik,9ol.0p;/",
		"qazwsxedcrfvtgbyhnujmikolp", "!@#$%^&*()"}
	for _, row := range slices.Clone(rows) {
		turned := []byte(row)
		slices.Reverse(turned)
		rows = append(rows, string(turned))
	}
	return rows
}()

// plainLetters undoes the usual replacements of letters.
var plainLetters = strings.NewReplacer("@", "a", "4", "a", "3", "e", "1", "l", "!", "i", "0", "o", "$", "s", "5", "s",
	"7", "t")

// checkNewPassword requires a password of a good length that takes more to guess than knowing its person.
func checkNewPassword(fs *fault.Fields, password, email, name string) {
	password = prepared(password)
	n := utf8.RuneCountInString(password)
	if n < minPassword || n > maxPassword || guessable(password, email, name) {
		fs.Add("password", "parameter_invalid", "A password has 15 to 128 characters and is hard to guess. "+
			"Add words that are not common and are not part of your name or email address.")
	}
}

// guessable reports whether a password has little but common words, the person's name and address, runs and digits.
func guessable(password, email, name string) bool {
	password = strings.ToLower(password)
	variety := map[rune]bool{}
	for _, r := range password {
		variety[r] = true
	}
	if len(variety) < minVariety {
		return true
	}
	words := append(parts(email, name), commonWords...)
	slices.SortStableFunc(words, func(a, b string) int { return cmp.Compare(len(b), len(a)) }) // the longest first
	return own(password, words) < minOwn || own(plainLetters.Replace(password), words) < minOwn
}

// parts are the person's address, its parts and the parts of the name.
func parts(email, name string) []string {
	apart := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	out := strings.FieldsFunc(prepared(strings.ToLower(email+" "+name)), apart)
	out = slices.DeleteFunc(out, func(part string) bool { return utf8.RuneCountInString(part) < minPart })
	return append(out, strings.ToLower(email))
}

// own counts the letters and signs of a password that are in none of the words or runs.
func own(password string, words []string) (n int) {
	for _, word := range words {
		password = strings.ReplaceAll(password, word, " ")
	}
	for i := 0; i < len(password); {
		if length := run(password[i:]); length > 0 {
			i += length
			continue
		}
		r, size := utf8.DecodeRuneInString(password[i:])
		if !unicode.IsDigit(r) && !strings.ContainsRune("!.-_ ", r) {
			n++
		}
		i += size
	}
	return n
}

// run is the length of the longest run that a text begins with, 0 if it begins with none.
func run(text string) (longest int) {
	for _, row := range rows {
		for from := range row {
			n := 0
			for n < len(text) && from+n < len(row) && text[n] == row[from+n] {
				n++
			}
			if n >= minRun {
				longest = max(longest, n)
			}
		}
	}
	return longest
}
