package statement_test

import (
	"bytes"
	"encoding/csv"
	"flag"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/report/statement"
	"svcpay/internal/testing/fixture"
)

var update = flag.Bool("update", false, "write the golden files")

// place is a world with the first application's US merchant.
type place struct {
	*fixture.World
	us int64
}

func open(t *testing.T) place {
	t.Helper()
	w := fixture.New(t)
	return place{w, w.App.Merchants.US}
}

// fatal is what tests and properties have in common.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// post books an amount of a kind at a time, and returns its charge.
func (w place) post(t fatal, at time.Time, kind string, debit, credit ledger.Account, amount money.Amount) ids.Charge {
	t.Helper()
	c := ids.NewCharge(at)
	p := ledger.Posting{ApplicationID: w.App.AppID, MerchantID: w.us, BusinessKey: ids.NewEntry(at).String(),
		Kind:  kind,
		Debit: debit, Credit: credit, Amount: amount, Currency: money.USD, SourceID: c.Bytes(), ChargeID: c}
	err := pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(at), p)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (w place) statement(t fatal, month string) statement.Statement {
	t.Helper()
	st, err := w.Statements.Get(w.T.Context(), w.Actor(), statement.MonthInput{MerchantID: w.us, Month: month})
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// table is a month as CSV: its lines without the head.
func (w place) table(t fatal, month string) [][]string {
	t.Helper()
	var out bytes.Buffer
	if err := w.Statements.CSV(w.T.Context(), w.Actor(), statement.MonthInput{MerchantID: w.us, Month: month},
		&out); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return lines[1:]
}

func number(t fatal, s string) money.Amount {
	t.Helper()
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return money.Amount(n)
}

var anID = regexp.MustCompile(`\b([a-z]+)_[0-9a-z]{26}\b`)

// named replaces each id by its prefix and its turn.
func named(text []byte) []byte {
	seen := map[string]string{}
	return anID.ReplaceAllFunc(text, func(id []byte) []byte {
		if seen[string(id)] == "" {
			seen[string(id)] = string(anID.FindSubmatch(id)[1]) + "_" + strconv.Itoa(len(seen)+1)
		}
		return []byte(seen[string(id)])
	})
}

// golden compares a text with a file of testdata.
func golden(t *testing.T, file string, got []byte) {
	t.Helper()
	got = named(got)
	if *update {
		if err := os.WriteFile("testdata/"+file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/" + file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is, %v\n%s\nwant\n%s", file, err, got, want)
	}
}
