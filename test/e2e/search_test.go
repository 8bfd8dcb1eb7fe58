package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// needle is one form in which a secret could lie somewhere.
type needle struct{ form, text string }

// needlesOf are the forms of a number: as people write it, as hexadecimal text, and as base64 at each
// of the three places that it can have in a group of three bytes.
func needlesOf(number string) []needle {
	all := []needle{
		{number + " dashed", strings.Join(groups(number), "-")},
		{number + " hex", hex.EncodeToString([]byte(number))},
	}
	for _, form := range writtenForms(number) {
		all = append(all, needle{number + " " + form.form, form.text})
	}
	for offset := range 3 {
		const bitsPerByte, bitsPerChar = 8, 6
		text := base64.StdEncoding.EncodeToString(append(make([]byte, offset), number...))
		from := (offset*bitsPerByte + bitsPerChar - 1) / bitsPerChar // before it, the neighbors show through
		to := (offset + len(number)) * bitsPerByte / bitsPerChar
		all = append(all, needle{fmt.Sprintf("%s base64+%d", number, offset), text[from:to]})
	}
	return all
}

// groups splits a number as cards print it.
func groups(number string) (parts []string) {
	if len(number) == 15 {
		return []string{number[:4], number[4:10], number[10:]}
	}
	for len(number) > 4 {
		parts, number = append(parts, number[:4]), number[4:]
	}
	return append(parts, number)
}

// hits are the forms found, by the place in which they were.
type hits map[string]map[string]bool

func (h hits) look(place string, text []byte, needles []needle) {
	for _, n := range needles {
		if bytes.Contains(text, []byte(n.text)) {
			if h[place] == nil {
				h[place] = map[string]bool{}
			}
			h[place][n.form] = true
		}
	}
}

// search looks for every needle in every file below dir, and in the texts.
func search(t *testing.T, dir string, texts map[string]string, needles []needle) hits {
	t.Helper()
	found, files, size := hits{}, 0, 0
	for place, text := range texts {
		found.look(place, []byte(text), needles)
		size += len(text)
	}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var text []byte
			if text, err = os.ReadFile(path); err == nil {
				found.look(strings.TrimPrefix(path, dir+"/"), text, needles)
				files, size = files+1, size+len(text)
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // a running server removes files
			return nil
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("searched %d files and %d texts, %d MB, for %d forms: hits in %d places", files, len(texts), size>>20,
		len(needles), len(found))
	return found
}

// dump is the content of every table, as pg_dump would write it. The copying is ours because
// PostgreSQL as npm delivers it has no pg_dump.
func dump(t *testing.T, databaseURL string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, err := conn.Query(t.Context(), `SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
		WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		t.Fatal(err)
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, table := range tables {
		fmt.Fprintf(&out, "COPY %s\n", table)
		if _, err := conn.PgConn().CopyTo(t.Context(), &out, "COPY "+table+" TO STDOUT"); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("dumped %d tables, %d KB", len(tables), out.Len()>>10)
	return out.String()
}

// luhn adds the check digit that makes a card number of digits.
func luhn(digits string) string {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 0 {
			d = d*2%10 + d*2/10
		}
		sum += d
	}
	return digits + string(rune('0'+(10-sum%10)%10))
}

// TestNeedles: each form is found wherever it is in a text, and nothing else is.
func TestNeedles(t *testing.T) {
	t.Parallel()
	number := luhn("424273519042871")
	for offset := range 6 {
		text := strings.Repeat("x", offset) + number + "yz"
		found := hits{}
		found.look("base64", []byte(base64.StdEncoding.EncodeToString([]byte(text))), needlesOf(number))
		found.look("hex", []byte(hex.EncodeToString([]byte(text))), needlesOf(number))
		found.look("plain", []byte(text), needlesOf(number))
		found.look("another",
			[]byte("x"+luhn("424273519042872")+base64.StdEncoding.EncodeToString([]byte("4242735190428720"))),
			needlesOf(number))
		if len(found["base64"]) != 1 || len(found["hex"]) != 1 || len(found["plain"]) != 1 || found["another"] != nil {
			t.Errorf("at %d: %v", offset, found)
		}
	}
	if s := strings.Join(groups("378282246310005"), " ") + strings.Join(groups(number), "-"); s != "3782 822463 10005"+
		"4242-7351-9042-"+number[12:] {
		t.Errorf("groups: %s", s)
	}
}
