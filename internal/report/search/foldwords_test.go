package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/report/search"
)

// searched are the tables whose rows are found by words, with a statement of a server of before that writes a name
// there: it leaves the words.
var searched = map[string]string{
	"charges":       `UPDATE charges SET billing = jsonb_set(billing, '{last_name}', to_jsonb(@name::text))`,
	"tokens":        `UPDATE tokens SET billing = jsonb_set(billing, '{last_name}', to_jsonb(@name::text))`,
	"refunds":       `UPDATE refunds SET note = @name`,
	"merchants":     `UPDATE merchants SET name = @name`,
	"daf_donations": `UPDATE daf_donations SET donor = jsonb_set(donor, '{lastName}', to_jsonb(@name::text))`,
}

// found are the kinds of objects that a search finds.
func (w place) kindsFound(t *testing.T, text string) (kinds []string) {
	t.Helper()
	query, err := search.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	found, err := w.Search.Find(t.Context(), w.Actor(),
		search.Input{Query: query, Page: page.Input[search.Ref]{Limit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found.Items {
		kinds = append(kinds, fmt.Sprintf("%T", f.Object))
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (w place) versions(t *testing.T, table string) string {
	t.Helper()
	out, err := pg.Value[string](t.Context(), w.Pool, `SELECT coalesce(string_agg(DISTINCT words_version::text,
		','), '') FROM `+table, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w place) words(t *testing.T, table string) string {
	t.Helper()
	out, err := pg.Value[string](t.Context(), w.Pool, `SELECT coalesce(string_agg(id || ' ' || words::text, '; '
		ORDER BY id), '') FROM `+table, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What a server of before writes is found at once, as it was before, and by its letters when the words are made.
func TestRowsOfServersOfBeforeAreFolded(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.oneOfEach(t)
	for table := range searched {
		if got := w.versions(t, table); got != "1" {
			t.Errorf("words of %s are of version %q", table, got)
		}
	}
	for table, statement := range searched {
		if _, err := pg.Exec(t.Context(), w.Pool, statement, pg.Args{"name": "MUÑOZ Đặng"}); err != nil {
			t.Fatal(err)
		}
		if got := w.versions(t, table); got != "0" {
			t.Errorf("words of %s that were left are of version %q", table, got)
		}
	}
	if got := w.kindsFound(t, "MUÑOZ"); len(got) != len(searched) {
		t.Errorf("before the words are made, found %v", got)
	}
	if n, err := w.Search.FoldWords(t.Context()); err != nil || n < len(searched) {
		t.Errorf("%d, %v", n, err)
	}
	for _, query := range []string{"munoz", "MUÑOZ", "mun\u0303oz", "dang", "đặng", `"muñoz dang"`, "muñ*"} {
		if got := w.kindsFound(t, query); len(got) != len(searched) {
			t.Errorf("%q finds %v", query, got)
		}
	}
	if got := w.kindsFound(t, "muloz"); len(got) > 0 {
		t.Errorf("another name finds %v", got)
	}
	if n, err := w.Search.FoldWords(t.Context()); err != nil || n != 0 {
		t.Errorf("%d made again, %v", n, err)
	}
}

// The words that a row is written with are those that are made of it later.
func TestWordsAreThoseOfTheTexts(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.oneOfEach(t)
	for table := range searched {
		written := w.words(t, table)
		if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE `+table+` SET words = '', words_version = 0`,
			pg.Args{}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Search.FoldWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.words(t, table); got == "" || !strings.Contains(written, "'xelodie'") {
			t.Errorf("%s was written with %s", table, written)
		} else if table != "merchants" && got != written { // others of the merchants have ASCII alone
			t.Errorf("%s: the words are %s, written were %s", table, got, written)
		}
	}
}

// oneOfEach makes a row of each table, through the service, with a name of more than ASCII.
func (w place) oneOfEach(t *testing.T) {
	t.Helper()
	const name = "Élodie"
	ctx, actor := t.Context(), w.Actor()
	card := w.Card("4242424242424242")
	card.Billing.FirstName = name
	kept, err := w.Tokens.CreateCard(ctx, w.Session(), "one of each", card)
	if err != nil {
		t.Fatal(err)
	}
	token, amount, part := kept.Token.String(), money.Amount(12_500), money.Amount(500)
	c, err := w.Charges.Create(ctx, actor,
		charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token, Description: ptr("For " + name)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Refunds.Create(ctx, actor,
		refund.CreateInput{ChargeID: ptr(c.Object.ID.String()), Amount: &part, Note: ptr(name)}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Merchants.Update(ctx, actor, w.us, merchant.UpdateInput{Name: patch.Set(name)}, nil); err != nil {
		t.Fatal(err)
	}
	w.TakesDAF(w.us)
	grant := w.Authorized(w.App, w.us, workflow.Nonintegrated, amount)
	if _, err := w.DAF.Create(ctx, actor, daf.CreateInput{MerchantID: &w.us, GrantID: &grant, Amount: &amount,
		User: &daf.UserInput{FirstName: ptr(name), LastName: ptr("Reed"), Email: ptr("e@example.org")}},
		nil); err != nil {
		t.Fatal(err)
	}
}

func ptr[T any](v T) *T { return &v }

// A charge that failed has released its external_id, and is still found by it as by any other word.
func TestFailedChargesAreFoundByTheirExternalID(t *testing.T) {
	t.Parallel()
	w := open(t)
	token, amount, gift := w.Token("4000000000009995"), money.Amount(100), "gala-88213"
	in := charge.CreateInput{MerchantID: &w.us, Amount: &amount, Token: &token, ExternalID: &gift}
	if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); err == nil {
		t.Fatal("the card was not declined")
	}
	for _, query := range []string{gift, "88213", "external_id:" + gift, "status:failed " + gift} {
		if found := w.kindsFound(t, query); !slices.Equal(found, []string{"charge.Charge"}) {
			t.Errorf("%s finds %v", query, found)
		}
	}
}
