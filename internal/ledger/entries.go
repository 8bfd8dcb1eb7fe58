package ledger

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Entry is a posting as the merchant sees it, the API's balance entry: what it changed in each of the
// merchant's accounts. Over all entries of a merchant each account's changes sum to its balance, and
// the amounts to the total. A release has the amount 0: it only moves money between two accounts.
type Entry struct {
	ID         ids.Entry      `json:"id"`
	Object     string         `json:"object"`
	Livemode   bool           `json:"livemode"`
	MerchantID int64          `json:"merchant_id"`
	Kind       string         `json:"kind"`
	Amount     money.Amount   `json:"amount"` // what the merchant is owed more, or less
	Currency   money.Currency `json:"currency"`
	Accounts
	Source    string       `json:"source"` // the id of the object that it comes from
	ChargeID  *ids.Charge  `json:"charge_id"`
	CreatedAt instant.Time `json:"created_at"`
}

// entryRow is what an Entry is made of.
type entryRow struct {
	ID         ids.Entry      `db:"id"`
	MerchantID int64          `db:"merchant_id"`
	Kind       string         `db:"kind"`
	Debit      Account        `db:"debit"`
	Credit     Account        `db:"credit"`
	Amount     money.Amount   `db:"amount"`
	Currency   money.Currency `db:"currency"`
	SourceID   [16]byte       `db:"source_id"`
	ChargeID   *ids.Charge    `db:"charge_id"`
	CreatedAt  instant.Time   `db:"created_at"`
}

// entry turns the two sides around: what we owe the merchant more is a credit.
func (r entryRow) entry(livemode bool) Entry {
	e := Entry{
		ID: r.ID, Object: "balance_entry", Livemode: livemode, MerchantID: r.MerchantID, Kind: r.Kind,
		Currency: r.Currency, Source: sourceOf[r.Kind].print(r.SourceID), ChargeID: r.ChargeID, CreatedAt: r.CreatedAt,
	}
	e.Accounts.add(r.Credit, r.Amount)
	e.Accounts.add(r.Debit, -r.Amount)
	e.Amount = e.Total()
	return e
}

// Source names an object that moved money.
type Source struct {
	Kind SourceKind
	ID   [16]byte
}

// ParseSource reads the printed id of a charge, refund, dispute or payout; [ids.ErrID] for anything else.
func ParseSource(s string) (Source, error) {
	if id, err := ids.ParseCharge(s); err == nil {
		return Source{FromCharge, id.Bytes()}, nil
	}
	if id, err := ids.ParseRefund(s); err == nil {
		return Source{FromRefund, id.Bytes()}, nil
	}
	if id, err := ids.ParseDispute(s); err == nil {
		return Source{FromDispute, id.Bytes()}, nil
	}
	id, err := ids.ParsePayout(s)
	return Source{FromPayout, id.Bytes()}, err
}

// AccountNames are the names of the merchant's accounts in the API.
func AccountNames() []string { return []string{"pending", "available", "reserved", "in_transit"} }

// ListInput selects a page of balance entries; what is not set selects all.
type ListInput struct {
	Page      page.Input[ids.Entry]
	Created   page.Times
	Merchants []int64
	Kinds     []string
	Accounts  []string // of AccountNames: entries that change one of them
	Source    *Source
	Charge    *ids.Charge
}

// List returns one page of the balance entries of the application's merchants.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Entry], error) {
	if err := s.deps.Check.Check(actor, authz.BalanceRead); err != nil {
		return page.Of[Entry]{}, err
	}
	in.Merchants = actor.Within(in.Merchants)
	oldest, newest, err := spans.Within(ctx, s.deps.Clock.Present(s.deps.Livemode), actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Entry]{}, err
	}
	args := in.filter()
	args["application_id"], args["oldest"], args["newest"] = actor.ApplicationID, oldest, newest
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage, args,
		func(r entryRow) Entry { return r.entry(s.deps.Livemode) })
}

// spans are of the ids of entries. A run of payouts has one time, and each of its payouts the id of its own.
var spans = clock.Spans[ids.Entry]{First: ids.FirstEntry, Apart: 2 * time.Minute}

// A source that is not the posting's own charge has an index of its own.
const selectPage = `
	SELECT id, merchant_id, kind, debit, credit, amount, currency, source_id, charge_id, created_at FROM ledger_entries
	WHERE application_id = @application_id
		AND (debit = ANY (@accounts::text[]) OR credit = ANY (@accounts))
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
		AND (@charge::uuid IS NULL OR charge_id = @charge)
		AND (@source::uuid IS NULL OR source_id = @source AND source_id IS DISTINCT FROM charge_id)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id >= @oldest)
		AND (@newest::uuid IS NULL OR id < @newest)`

// filter gives the arguments of what is selected.
func (in ListInput) filter() pg.Args {
	accounts := MerchantAccounts()
	if in.Accounts != nil {
		accounts = slices.DeleteFunc(accounts, func(a Account) bool {
			return !slices.Contains(in.Accounts, AccountNames()[slices.Index(MerchantAccounts(), a)])
		})
	}
	args := pg.Args{
		"accounts": accounts, "merchants": in.Merchants, "kinds": in.Kinds, "charge": in.Charge,
		"source": nil, "from": in.Created.From, "until": in.Created.Until,
	}
	if in.Source == nil {
		return args
	}
	kinds := kindsFrom(in.Source.Kind)
	if in.Kinds != nil {
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return !slices.Contains(in.Kinds, k) })
	}
	args["kinds"] = kinds
	if in.Source.Kind != FromCharge {
		args["source"] = in.Source.ID
		return args
	}
	if id := ids.ChargeFrom(in.Source.ID); in.Charge == nil || *in.Charge == id {
		args["charge"] = &id
	} else {
		args["kinds"] = []string{} // nothing comes from one charge and concerns another
	}
	return args
}
