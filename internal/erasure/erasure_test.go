package erasure_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/banklink"
	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/dispute"
	"svcpay/internal/erasure"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/receipt"
	"svcpay/internal/refund"
	"svcpay/internal/report/export"
	"svcpay/internal/requestlog"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/upload"
)

// The payer who is forgotten, by words that no one else has.
const (
	first, last = "Odalys", "Quenneville"
	address     = "o.quenneville@giver.example"
)

// words are what must be gone; the search has them in lowercase.
var words = []string{"odalys", "quenneville", "giver.example", "7 larch lane", "for the library"}

type world struct {
	*fixture.World
	erasures *erasure.Service
	claim    *idempotency.Claim
	in       charge.CreateInput
	charge   charge.Charge
	voided   charge.Charge
	disputed charge.Charge
	donation daf.Donation
}

func (w *world) must(err error) {
	w.T.Helper()
	if err != nil {
		w.T.Fatal(err)
	}
}

// newWorld has the payer pay, get part of it back with a receipt, have another payment voided, contest a third, and
// donate; someone else pays, too.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{World: fixture.New(t, fixture.SendsMail)}
	w.erasures = erasure.New(erasure.Deps{Pool: w.Pool, Check: w.Gate, Clock: w.Clocks})
	card := w.Card("4242424242424242")
	card.Billing.FirstName, card.Billing.LastName, card.Billing.Email, card.Billing.AddressLine1 = first, last, address,
		"7 Larch Lane"
	created, err := w.Tokens.CreateCard(t.Context(), w.Session(), "retry-1", card)
	w.must(err)
	w.claim = w.claimed("gift")
	w.charge = w.pay(created.Token.String(), w.claim)
	w.pay(w.Token("5555555555554444"), nil)
	id, back, note := w.charge.ID.String(), money.Amount(300), "Odalys asked for it"
	_, err = w.Refunds.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &id, Amount: &back, Note: &note},
		nil)
	w.must(err)
	_, err = w.Receipts.Send(t.Context(), w.Person(authz.RoleOrganizationStaff),
		receipt.SendInput{ChargeID: id, Email: address}, w.claimed("receipt"))
	w.must(err)
	w.takeBack(created.Token.String())
	w.contest(created.Token.String())
	w.donate()
	w.link()
	w.helped(created.Token.String())
	w.log("/api/charges", "email="+strings.ReplaceAll(address, "@", "%40"), nil)
	w.log("/api/search", "q=other", []byte(`{"first_name":"Odalys","last_name":"Quenneville"}`))
	w.log("/api/me", "", []byte(`{"first_name":"Dana"}`))
	w.must(w.RequestLogs.Flush(t.Context()))
	return w
}

// claimed is a claim of a key of its own.
func (w *world) claimed(key string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/charges",
		Fingerprint: sha256.Sum256([]byte(key)), Params: map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

// pay charges a token, with words of the payer's about it.
func (w *world) pay(token string, claim *idempotency.Claim) charge.Charge {
	w.T.Helper()
	amount := money.Amount(2500)
	in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token}
	if claim != nil {
		what := "Odalys for the library"
		in.Description, in.Metadata = &what, map[string]string{"donor": address}
		w.in = in
	}
	out, err := w.Charges.Create(w.T.Context(), w.Actor(), in, claim)
	w.must(err)
	return out.Object
}

// takeBack has a payment voided, for a reason that says who asked for it.
func (w *world) takeBack(token string) {
	w.T.Helper()
	amount, capture, reason := money.Amount(700), false, "Odalys asked for it"
	held, err := w.Charges.Create(w.T.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, Capture: &capture}, nil)
	w.must(err)
	out, err := w.Charges.Void(w.T.Context(), w.Actor(), held.Object.ID.String(),
		charge.VoidInput{Reason: &reason}, nil)
	w.must(err)
	w.voided = out.Object
}

// contest has a payment disputed and lost, before evidence that says who paid was submitted.
func (w *world) contest(token string) {
	w.T.Helper()
	ctx := w.T.Context()
	w.disputed = w.pay(token, nil)
	notice := processor.Event{Adapter: "sandbox", ID: "e1",
		Account: processor.MerchantAccount(w.App.AppID, w.App.Merchants.US), Reference: w.disputed.Processor.Reference,
		At: w.Clock.Now(),
		Dispute: &processor.DisputeNotice{ID: "case-1", Reason: "fraudulent", Amount: 2500, Currency: money.USD,
			RespondBy: w.Clock.Now().Add(7 * 24 * time.Hour)}}
	w.must(w.Disputes.Open(ctx, notice))
	file, err := w.Uploads.Create(ctx, w.Person(authz.RoleOrganizationAdmin),
		upload.CreateInput{Name: "odalys.pdf", Content: []byte("%PDF-1.4\nQuenneville\n%%EOF")}, w.claimed("file"))
	w.must(err)
	id, err := pg.Value[ids.Dispute](ctx, w.Pool, `SELECT id FROM disputes`, pg.Args{})
	w.must(err)
	_, err = w.Disputes.SaveDraft(ctx, w.Actor(), id.String(),
		dispute.EvidenceInput{Files: []string{file.Object.ID.String()},
			Evidence: map[string]string{"payer_name": first + " " + last, "payer_email": address}})
	w.must(err)
	w.must(w.Disputes.Lost(ctx, notice))
}

func (w *world) donate() {
	w.T.Helper()
	w.TakesDAF(w.App.Merchants.US)
	amount, who, whose, mail := money.Amount(5000), first, last, address
	grant := w.Authorized(w.App, w.App.Merchants.US, workflow.Nonintegrated, amount)
	out, err := w.DAF.Create(w.T.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, GrantID: &grant,
			User: &daf.UserInput{FirstName: &who, LastName: &whose, Email: &mail}}, nil)
	w.must(err)
	w.donation = out.Object
}

// link has the payer authorize debits of a bank account, of which no token is made yet.
func (w *world) link() {
	w.T.Helper()
	secret, err := w.Links.Begin(w.T.Context(),
		banklink.BeginInput{SessionID: w.SessionOf(w.App, w.App.Merchants.CA), Scheme: processor.ACSS})
	w.must(err)
	w.must(w.Links.Submit(w.T.Context(), secret,
		banklink.Form{FirstName: first, LastName: last, Email: address, AccountType: "savings",
			Institution: "000", Transit: "11000", Account: "000123456789", Agreed: banklink.Agreed{Accepted: true}}))
}

// helped has people work on what is the payer's in the portal: each of that is in the audit log, which nothing is taken
// out of.
func (w *world) helped(token string) {
	w.T.Helper()
	ctx, amount, capture, text := w.T.Context(), money.Amount(900), false, "Odalys asked for it"
	held, err := w.Charges.Create(ctx, w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount, Token: &token, Capture: &capture}, nil)
	w.must(err)
	_, err = w.Charges.Void(ctx, w.Person(authz.RoleApplicationAdmin), held.Object.ID.String(),
		charge.VoidInput{Reason: &text}, nil)
	w.must(err)
	canceled := string(daf.Canceled)
	_, err = w.DAF.Update(ctx, w.Person(authz.RoleOrganizationAdmin), w.donation.ID.String(),
		daf.UpdateInput{Status: patch.Member[string]{Given: true, Value: &canceled},
			Note: patch.Member[string]{Given: true, Value: &text}}, nil)
	w.must(err)
}

func (w *world) log(path, query string, body []byte) {
	actor := w.Actor()
	actor.KeyID, actor.KeyName = ids.NewKey(w.Clock.Now()), "server"
	w.RequestLogs.Add(requestlog.Entry{Actor: actor, Method: "POST", Path: path, Query: query, Body: body, Status: 201,
		IP: "192.0.2.1", APIVersion: "2026-12-01", At: w.Clock.Now()})
}

// found says which of the payer's words which table of the database has.
func (w *world) found() (out []string) {
	w.T.Helper()
	for _, table := range w.tables() {
		content := strings.ToLower(string(w.dump(table)))
		for _, word := range words {
			// An answer is bytes, which are dumped as hexadecimal digits.
			if strings.Contains(content, word) || strings.Contains(content, fmt.Sprintf("%x", word)) ||
				strings.Contains(content, fmt.Sprintf("%x", strings.ToUpper(word[:1])+word[1:])) {
				out = append(out, table+": "+word)
			}
		}
	}
	return out
}

func (w *world) tables() []string {
	w.T.Helper()
	type row struct {
		Name string `db:"name"`
	}
	rows, err := pg.All[row](w.T.Context(), w.Pool, `SELECT tablename AS name FROM pg_tables
		WHERE schemaname = 'public' ORDER BY 1`, pg.Args{})
	w.must(err)
	out := make([]string, 0, len(rows))
	for _, r := range rows {
		out = append(out, r.Name)
	}
	return out
}

func (w *world) dump(table string) []byte {
	w.T.Helper()
	conn, err := w.Pool.Acquire(w.T.Context())
	w.must(err)
	defer conn.Release()
	var out bytes.Buffer
	_, err = conn.Conn().PgConn().CopyTo(w.T.Context(), &out, `COPY "`+table+`" TO STDOUT`)
	w.must(err)
	return out.Bytes()
}

func (w *world) erase(who string) (erasure.Erased, error) {
	return w.erasures.Payer(w.T.Context(), w.Admin(), who)
}

// The payer was in many tables, and is in none; what was paid is as it was, and repeating the request pays nothing.
func TestNothingIsLeftOfAPayerButWhatWasPaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	had := strings.Join(w.found(), "\n")
	for _, table := range []string{"tokens", "charges", "refunds", "events", "receipts", "daf_donations",
		"request_logs", "idempotency_keys", "disputes", "files", "processor_operations", "bank_links"} {
		if !strings.Contains(had, table+": ") { // or what is not found below was never there
			t.Errorf("%s had nothing of the payer:\n%s", table, had)
		}
	}
	books := [][]byte{w.dump("ledger_entries"), w.dump("fee_events")}
	e, err := w.erase(strings.ToUpper(address))
	if err != nil || len(e.Tokens) != 1 || len(e.Charges) != 4 || !slices.Contains(e.Charges, w.charge.ID) ||
		!slices.Contains(e.Charges, w.voided.ID) || !slices.Contains(e.Charges, w.disputed.ID) ||
		!slices.Equal(e.Donations, []ids.Donation{w.donation.ID}) {
		t.Fatalf("%+v, %v", e, err)
	}
	if left := w.found(); len(left) > 0 {
		t.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
	if !bytes.Equal(books[0], w.dump("ledger_entries")) || !bytes.Equal(books[1], w.dump("fee_events")) {
		t.Error("the books are others")
	}
	if off, err := w.Ledger.Compare(t.Context()); err != nil || len(off) > 0 {
		t.Errorf("the books do not balance: %v, %v", off, err)
	}
	c, err := w.Charges.Get(t.Context(), w.Actor(), w.charge.ID.String())
	if err != nil || c.AmountCaptured != 2500 || c.AmountRefunded != 300 || c.PaymentMethod.Last4 != "4242" ||
		c.Billing.Email != "" {
		t.Errorf("%+v, %v", c, err)
	}
	again, err := w.Charges.Create(t.Context(), w.Actor(), w.in, w.claim)
	if err != nil || again.Prior == nil || !strings.Contains(string(again.Prior.Outcome.Result), w.charge.ID.String()) {
		t.Errorf("%+v, %v", again, err)
	}
	w.failLater()
	w.others()
	w.recorded()
	if e, err := w.erase(address); err != nil || e.Objects() != 0 {
		t.Errorf("once more: %+v, %v", e, err)
	}
}

// others finds that someone else's words and requests are left.
func (w *world) others() {
	w.T.Helper()
	for table, word := range map[string]string{"charges": "dana@example.org", "events": "dana@example.org",
		"request_logs": "/api/me"} {
		if !bytes.Contains(w.dump(table), []byte(word)) {
			w.T.Errorf("%s has lost %s", table, word)
		}
	}
	if n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM vault_keys`, pg.Args{}); err != nil ||
		n != 1 {
		w.T.Errorf("%d tokens in the vault, %v", n, err)
	}
}

// recorded finds the erasure in the audit log, whose chain holds.
func (w *world) recorded() {
	w.T.Helper()
	if chain, err := w.Audit.Inspect(w.T.Context(), w.App.AppID); err != nil || chain.Flaw != "" {
		w.T.Errorf("%+v, %v", chain, err)
	}
	n, err := pg.Value[int](w.T.Context(), w.Pool, `
		SELECT count(*)::int FROM audit_entries WHERE permission = 'payer:erase' AND outcome = 'done'
			AND after::text LIKE '%' || @charge || '%'`,
		pg.Args{"charge": w.charge.ID.String()})
	if err != nil || n != 1 {
		w.T.Errorf("%d entries, %v", n, err)
	}
}

// failLater has the refund of the erased payer fail: its money is back, and nothing of the payer is.
func (w *world) failLater() {
	w.T.Helper()
	failed := "failed"
	all, err := w.Refunds.List(w.T.Context(), w.Actor(),
		refund.ListInput{Page: page.Input[ids.Refund]{Limit: 1}, ChargeID: &w.charge.ID})
	w.must(err)
	r, err := w.Simulate.Refund(w.T.Context(), w.Actor(), all.Items[0].ID.String(),
		simulate.RefundInput{Outcome: &failed}, nil)
	w.must(err)
	c, err := w.Charges.Get(w.T.Context(), w.Actor(), w.charge.ID.String())
	if left := w.found(); err != nil || r.Object.Status != refund.Failed || c.AmountRefunded != 0 || len(left) > 0 {
		w.T.Errorf("%+v, %d refunded, %v: %v", r.Object, c.AmountRefunded, left, err)
	}
}

// Nothing is erased while something is in progress, nor by someone who may not, nor of another application.
func TestErasuresThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := len(w.found())
	resource, format := "charges", "csv"
	made, err := w.Exports.Create(t.Context(), w.Actor(), export.Input{Resource: &resource, Format: &format}, nil)
	w.must(err)
	if _, err := w.erase(address); !fault.HasCode(err, "payer_busy") {
		t.Errorf("during an export: %v", err)
	}
	for more := true; more; {
		more, err = w.Exports.Run(t.Context())
		w.must(err)
	}
	w.set(`UPDATE processor_operations SET state = 'open', finished_at = NULL, next_check_at = created_at
		WHERE kind = 'refund'`)
	if _, err := w.erase(address); !fault.HasCode(err, "payer_busy") {
		t.Errorf("during a refund: %v", err)
	}
	w.set(`UPDATE processor_operations SET state = 'approved', finished_at = created_at, next_check_at = NULL
		WHERE kind = 'refund'`)
	for _, r := range []authz.Role{authz.RoleSupportStaff, authz.RoleApplicationAdmin, authz.RoleOrganizationAdmin} {
		if _, err := w.erasures.Payer(t.Context(), w.Person(r), address); !fault.HasCode(err, "permission_denied") {
			t.Errorf("%s: %v", r, err)
		}
	}
	for _, wrong := range []string{"", "Odalys", "Odalys <" + address + ">"} {
		if _, err := w.erase(wrong); !fault.HasCode(err, "parameter_invalid") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	elsewhere := w.Admin()
	elsewhere.ApplicationID = w.Other.AppID
	if e, err := w.erasures.Payer(t.Context(), elsewhere, address); err != nil || e.Objects() != 0 {
		t.Errorf("in another application: %+v, %v", e, err)
	}
	if after := len(w.found()); after != before {
		t.Errorf("%d words were found before, %d now", before, after)
	}
	if _, err := w.erase(address); err != nil {
		t.Fatal(err)
	}
	if x, err := w.Exports.Get(t.Context(), w.Actor(), made.Object.ID.String()); err != nil || x.Status != "expired" {
		t.Errorf("%+v, %v", x, err)
	}
	if chunks := w.dump("export_chunks"); len(chunks) > 0 {
		t.Error("the export's file is left")
	}
}

func (w *world) set(sql string) {
	w.T.Helper()
	tag, err := w.Pool.Exec(w.T.Context(), sql)
	w.must(err)
	if tag.RowsAffected() != 1 {
		w.T.Fatalf("%d rows", tag.RowsAffected())
	}
}
