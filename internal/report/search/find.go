package search

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// Conditions of the statements. A member that was not asked for is NULL, and each list of what must not be
// is there always.
const (
	ofTenant = ` WHERE application_id = @application_id AND (@id::uuid IS NULL OR id = @id)
		AND (@seen::bigint[] IS NULL OR merchant_id = ANY (@seen))
		AND (@merchant_id::text[] IS NULL OR merchant_id = ANY (@merchant_id::text[]::bigint[]))
			AND merchant_id <> ALL (@not_merchant_id::text[]::bigint[])`
	ofState = `
		AND (@status::text[] IS NULL OR status = ANY (@status)) AND status <> ALL (@not_status::text[])
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`
	ofCurrency = `
		AND (@currency::text[] IS NULL OR currency = ANY (@currency)) AND currency <> ALL (@not_currency::text[])`
	ofMoney = ofCurrency + `
		AND (@amount::text[] IS NULL OR amount = ANY (@amount::text[]::bigint[])) AND amount <> ALL (@not_amount::text[]::bigint[])
		AND (@least::bigint IS NULL OR amount >= @least) AND (@most::bigint IS NULL OR amount <= @most)`
	ofText = `
		AND (@words::text IS NULL OR words @@ to_tsquery('pg_catalog.simple', @words))`
	withoutText = `
		AND (@unwanted::text IS NULL OR NOT words @@ to_tsquery('pg_catalog.simple', @unwanted))`
	ofName = `
		AND (@external_id::text[] IS NULL OR external_id = ANY (@external_id)) AND coalesce(external_id, '') <> ALL (@not_external_id::text[])`
	ofChargeName = `
		AND (@external_id::text[] IS NULL OR external_id = ANY (@external_id)
			OR released_external_id = ANY (@external_id))
		AND coalesce(external_id, released_external_id, '') <> ALL (@not_external_id::text[])`
	ofPairs = `
		AND (@pairs::text[] IS NULL OR metadata @> ANY (@pairs::text[]::jsonb[]) AND metadata <> '{}')
		AND NOT metadata @> ANY (@without::text[]::jsonb[])`
	ofReference = withoutText + ofName + ofPairs
	ofPayer     = `
		AND (@email::text[] IS NULL OR lower(billing->>'email') = ANY (lower(@email::text[]::text)::text[]))
		AND coalesce(lower(billing->>'email'), '') <> ALL (lower(@not_email::text[]::text)::text[])`
	ofCharge = `
		AND (@charge_id::text[] IS NULL OR charge_id = ANY (@charge_id::text[]::uuid[])) AND charge_id <> ALL (@not_charge_id::text[]::uuid[])`

	// A charge has its token's last digits, by which there is an index.
	charges = `SELECT id FROM charges` + ofTenant + ofState + ofMoney + ofText + withoutText + ofChargeName + ofPairs +
		ofPayer + `
		AND (@type::text[] IS NULL OR type = ANY (@type)) AND type <> ALL (@not_type::text[])
		AND (@recurring::text[] IS NULL OR recurring = ANY (@recurring::text[]::boolean[]))
			AND recurring <> ALL (@not_recurring::text[]::boolean[])
		AND (@kind::text[] IS NULL OR payment_method->>'kind' = ANY (@kind))
			AND payment_method->>'kind' <> ALL (@not_kind::text[])
		AND (@brand::text[] IS NULL OR payment_method->>'brand' = ANY (@brand))
			AND coalesce(payment_method->>'brand', '') <> ALL (@not_brand::text[])
		AND (@last4::text[] IS NULL OR payment_method->>'last4' = ANY (@last4))
			AND payment_method->>'last4' <> ALL (@not_last4::text[])
		AND (@token::text[] IS NULL OR token_id = ANY (@token::text[]::uuid[]))
			AND token_id <> ALL (@not_token::text[]::uuid[])
		AND (@token::text[] IS NULL OR payment_method->>'last4' = ANY (ARRAY(SELECT last4 FROM tokens
			WHERE application_id = @application_id AND id = ANY (@token::text[]::uuid[]))))`
	refunds = `SELECT id FROM refunds` + ofTenant + ofState + ofMoney + ofText + ofReference + ofCharge
	tokens  = `SELECT id FROM tokens` + ofTenant + ofState + ofText + withoutText + ofPayer +
		` AND entry_mode <> 'payout_account'
		AND (@kind::text[] IS NULL OR kind = ANY (@kind)) AND kind <> ALL (@not_kind::text[])
		AND (@brand::text[] IS NULL OR brand = ANY (@brand)) AND coalesce(brand, '') <> ALL (@not_brand::text[])
		AND (@last4::text[] IS NULL OR last4 = ANY (@last4)) AND last4 <> ALL (@not_last4::text[])`
	disputes = `SELECT id FROM disputes` + ofTenant + ofState + ofMoney + ofCharge + `
		AND (@kind::text[] IS NULL OR kind = ANY (@kind)) AND kind <> ALL (@not_kind::text[])`
	payouts = `SELECT id FROM payouts` + ofTenant + ofState + ofMoney + `
		AND (@last4::text[] IS NULL OR bank_last4 = ANY (@last4)) AND bank_last4 <> ALL (@not_last4::text[])`
	donations = `SELECT id FROM daf_donations` + ofTenant + ofState + ofMoney + ofText + ofReference + `
		AND (@email::text[] IS NULL OR lower(donor->>'email') = ANY (lower(@email::text[]::text)::text[]))
		AND lower(donor->>'email') <> ALL (lower(@not_email::text[]::text)::text[])
		AND (@kind::text[] IS NULL OR kind = ANY (@kind)) AND kind <> ALL (@not_kind::text[])
		AND (@tracking_id::text[] IS NULL OR tracking_id = ANY (@tracking_id)) AND coalesce(tracking_id, '') <> ALL (@not_tracking_id::text[])`
	merchants = `SELECT id FROM merchants WHERE application_id = @application_id
		AND (@seen::bigint[] IS NULL OR id = ANY (@seen))
		AND (@merchant_id::text[] IS NULL OR id = ANY (@merchant_id::text[]::bigint[]))
			AND id <> ALL (@not_merchant_id::text[]::bigint[])
		AND (@words::text IS NULL OR id = @number
			OR words @@ to_tsquery('pg_catalog.simple', @words))` + ofState + ofCurrency + ofReference

	// All that matches, by what is cheapest without regard to order.
	whole, among = `WITH found AS MATERIALIZED (`, `) SELECT id FROM found WHERE true`
)

// nearby is how many of the newest objects are looked through before an index is asked for all that match.
const nearby = 5000

// The newest of the large tables: what matches often is found there. A plan that is made for the end of a
// list would walk along all of it if nothing matched.
const (
	newestCharges = charges + ` AND id >= coalesce((SELECT c.id FROM charges c WHERE c.application_id = @application_id
		AND c.id < @edge
		ORDER BY c.id DESC OFFSET @nearby LIMIT 1), '00000000-0000-0000-0000-000000000000')`
	newestRefunds = refunds + ` AND id >= coalesce((SELECT r.id FROM refunds r WHERE r.application_id = @application_id
		AND r.id < @edge
		ORDER BY r.id DESC OFFSET @nearby LIMIT 1), '00000000-0000-0000-0000-000000000000')`
	newestTokens = tokens + ` AND id >= coalesce((SELECT t.id FROM tokens t WHERE t.application_id = @application_id
		AND t.id < @edge
		ORDER BY t.id DESC OFFSET @nearby LIMIT 1), '00000000-0000-0000-0000-000000000000')`
)

const (
	lastCharge = `SELECT id FROM charges WHERE application_id = @application_id AND id < @edge ORDER BY id DESC LIMIT 1`
	lastToken  = `SELECT id FROM tokens WHERE application_id = @application_id AND id < @edge ORDER BY id DESC LIMIT 1`
)

// hit is the id of what was found.
type hit struct {
	ID [16]byte `db:"id"`
}

type merchantHit struct {
	ID int64 `db:"id"`
}

func same[T any](t T) T { return t }

// merchantKey is a merchant's id among others.
func merchantKey(id int64) (b [16]byte) {
	for i := range 8 {
		b[i] = 0xff
	}
	binary.BigEndian.PutUint64(b[8:], uint64(id))
	return b
}

func isMerchant(key [16]byte) bool { return key[0] == 0xff }

func merchantID(key [16]byte) int64 { return int64(binary.BigEndian.Uint64(key[8:])) }

// finder looks for what one application's actor may see.
type finder struct {
	Query
	q             pg.Querier
	applicationID int64
	seen          []int64 // the merchants; nil is all
	in            page.Input[[16]byte]
}

// args are the arguments of a statement about the members of those names.
func (f finder) args(names ...string) pg.Args {
	args := pg.Args{"application_id": f.applicationID, "seen": f.seen, "from": f.from, "until": f.until}
	for _, name := range append(names, "merchant_id", "status") {
		switch name {
		case "amount":
			args["least"], args["most"] = f.least, f.most
		case "id":
			args["id"] = f.id
			continue
		case "words":
			args["words"], args["unwanted"] = joined(f.words, " & "), joined(f.unwanted, " | ")
			continue
		case "metadata":
			args["pairs"], args["without"] = documents(f.pairs), append([]string{}, documents(f.without)...)
			continue
		case "number":
			args["number"] = f.number
			continue
		}
		e := f.member(name)
		args[name], args["not_"+name] = e.Any, append([]string{}, e.None...)
	}
	return args
}

func joined(parts []string, by string) *string {
	if len(parts) == 0 {
		return nil
	}
	text := strings.Join(parts, by)
	return &text
}

// documents are pairs as JSON; nil of nil.
func documents(pairs []map[string]string) []string {
	if pairs == nil {
		return nil
	}
	out := make([]string, len(pairs))
	for i, p := range pairs {
		text, _ := json.Marshal(p) // of texts
		out[i] = string(text)
	}
	return out
}

// edge adds to arguments where the newest begin; false if the newest are not what the page is of.
func (f finder) edge(args pg.Args) bool {
	edge := [16]byte{}
	for i := range edge {
		edge[i] = 0xff
	}
	if cursor := f.in.Cursor(); cursor != nil {
		edge = *cursor
	}
	args["edge"], args["nearby"] = edge, nearby
	return !f.in.Up() && f.id == nil
}

func (f finder) charges(ctx context.Context) (page.Of[hit], error) {
	return f.inLarge(large{
		newest: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, newestCharges, args, same[hit])
		},
		last: func(args pg.Args) ([]hit, error) { return pg.All[hit](ctx, f.q, lastCharge, args) },
		all: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, whole+charges+among, args, same[hit])
		},
	}, "id", "amount", "currency", "words", "metadata", "external_id", "email", "type", "recurring", "kind", "brand",
		"last4", "token")
}

func (f finder) refunds(ctx context.Context) (page.Of[hit], error) {
	return f.inLarge(large{
		newest: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, newestRefunds, args, same[hit])
		},
		all: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, whole+refunds+among, args, same[hit])
		},
	}, "id", "amount", "currency", "words", "metadata", "external_id", "charge_id")
}

func (f finder) tokens(ctx context.Context) (page.Of[hit], error) {
	return f.inLarge(large{
		newest: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, newestTokens, args, same[hit])
		},
		last: func(args pg.Args) ([]hit, error) { return pg.All[hit](ctx, f.q, lastToken, args) },
		all: func(args pg.Args) (page.Of[hit], error) {
			return pg.Page(ctx, f.q, f.in, whole+tokens+among, args, same[hit])
		},
	}, "id", "words", "email", "kind", "brand", "last4")
}

// large is how a large table is looked through: its newest objects, and all of them. last is the newest one beyond the
// edge; nil of a table that has no ages among its words.
type large struct {
	newest, all func(pg.Args) (page.Of[hit], error)
	last        func(pg.Args) ([]hit, error)
}

// inLarge looks for a page among the newest, then, for words, in the last two ages, then in all.
func (f finder) inLarge(l large, members ...string) (page.Of[hit], error) {
	args := f.args(members...)
	if f.edge(args) {
		if p, err := l.newest(args); err != nil || p.HasMore {
			return p, err
		}
		if l.last != nil && len(f.words) > 0 {
			if p, err := f.lately(l, args); err != nil || p.HasMore {
				return p, err
			}
		}
	}
	return l.all(edgeless(args))
}

// lately looks for words in the age of the newest object beyond the edge, and in the one before. An index of words
// knows no order: what has one is read whole to find the newest of it, wherever it lies.
func (f finder) lately(l large, args pg.Args) (p page.Of[hit], err error) {
	last, err := l.last(pg.Args{"application_id": f.applicationID, "edge": args["edge"]})
	if err != nil || len(last) == 0 {
		return p, err
	}
	args = edgeless(maps.Clone(args))
	args["words"] = joined(append(slices.Clone(f.words), agesOf(last[0].ID)), " & ")
	return l.all(args)
}

// agesOf are the words of the age of an id and of the one before, as to_tsquery reads them. An age is what ids of the
// same first two bytes have in common: those of 2^32 milliseconds, which are fifty days.
func agesOf(id [16]byte) string {
	age := binary.BigEndian.Uint16(id[:2])
	return "(" + textindex.Age(age) + " | " + textindex.Age(age-1) + ")"
}

func edgeless(args pg.Args) pg.Args {
	delete(args, "edge")
	delete(args, "nearby")
	return args
}

func (f finder) disputes(ctx context.Context) (page.Of[hit], error) {
	return pg.Page(ctx, f.q, f.in, whole+disputes+among, f.args("id", "amount", "currency", "charge_id", "kind"),
		same[hit])
}

func (f finder) payouts(ctx context.Context) (page.Of[hit], error) {
	return pg.Page(ctx, f.q, f.in, whole+payouts+among, f.args("id", "amount", "currency", "last4"), same[hit])
}

func (f finder) donations(ctx context.Context) (page.Of[hit], error) {
	return pg.Page(ctx, f.q, f.in, whole+donations+among,
		f.args("id", "amount", "currency", "words", "metadata", "external_id", "email", "kind", "tracking_id"),
		same[hit])
}

// merchants are above everything else: a cursor that is no merchant is below them all.
func (f finder) merchants(ctx context.Context) (page.Of[hit], error) {
	in := page.Input[int64]{Limit: f.in.Limit, Ascending: f.in.Ascending}
	if cursor := f.in.Cursor(); cursor != nil && isMerchant(*cursor) {
		in.After, in.Before = merchantID(f.in.After), merchantID(f.in.Before)
	} else if cursor != nil {
		if !f.in.Up() {
			return page.Of[hit]{}, nil
		}
		in.Ascending = true // all are above the cursor: those next to it come first
	}
	return pg.Page(ctx, f.q, in, whole+merchants+among,
		f.args("currency", "words", "metadata", "external_id", "number"),
		func(m merchantHit) hit { return hit{merchantKey(m.ID)} })
}
