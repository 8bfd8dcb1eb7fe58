package rule

import (
	"context"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/seal"
)

// row is a merchant's rules as they are stored.
type row struct {
	ApplicationID  int64         `db:"application_id"`
	MerchantID     int64         `db:"merchant_id"`
	Version        int           `db:"version"`
	CVC            bool          `db:"block_cvc_mismatch"`
	PostalCode     bool          `db:"block_postal_code_mismatch"`
	Minimum        *money.Amount `db:"minimum_amount"`
	CountryList    *List         `db:"country_list"`
	Countries      []string      `db:"countries"`
	CardCharges    *int          `db:"card_charges"`
	CardHours      *int          `db:"card_hours"`
	EmailCharges   *int          `db:"email_charges"`
	EmailHours     *int          `db:"email_hours"`
	AddressCharges *int          `db:"address_charges"`
	AddressHours   *int          `db:"address_hours"`
	UpdatedAt      instant.Time  `db:"updated_at"`
}

const columns = `application_id, merchant_id, version, block_cvc_mismatch, block_postal_code_mismatch, minimum_amount,
	country_list, countries, card_charges, card_hours, email_charges, email_hours, address_charges, address_hours,
	updated_at`

func (r row) settings() Settings {
	out := Settings{CVCMismatch: r.CVC, PostalCodeMismatch: r.PostalCode, MinimumAmount: r.Minimum,
		CardVelocity: window(r.CardCharges, r.CardHours), EmailVelocity: window(r.EmailCharges, r.EmailHours),
		AddressVelocity: window(r.AddressCharges, r.AddressHours)}
	switch {
	case r.CountryList == nil:
	case *r.CountryList == Allow:
		out.AllowedCountries = r.Countries
	default:
		out.BlockedCountries = r.Countries
	}
	return out
}

func window(charges, hours *int) *Window {
	if charges == nil {
		return nil
	}
	return &Window{*charges, *hours}
}

// Payment is a card payment of a merchant that has rules.
type Payment struct {
	ApplicationID int64
	MerchantID    int64
	Charge        ids.Charge
	Amount        money.Amount
	Country       string // the issuer's
	Traits        Traits
	At            time.Time // by the application's clock
}

// owner names a merchant.
type owner struct {
	ApplicationID int64 `db:"application_id"`
	MerchantID    int64 `db:"merchant_id"`
}

func (p Payment) owner() owner { return owner{p.ApplicationID, p.MerchantID} }

func (r row) owner() owner { return owner{r.ApplicationID, r.MerchantID} }

// UsesMAC is the purpose of the keyed hashes by which velocity counts.
const UsesMAC = "card rule uses"

// DecideTx decides about payments in their order, and counts those that are not blocked for the velocities of their
// merchants, by keyed hashes of [UsesMAC]. It locks the rules of merchants with velocities, so that their payments are
// counted one after the other.
func DecideTx(ctx context.Context, tx *pg.Tx, mac *seal.MAC, payments []Payment) ([]Decision, error) {
	known, err := readTx(ctx, tx, payments)
	if err != nil {
		return nil, err
	}
	counts := make([][]tally, len(payments))
	for i, p := range payments {
		if counts[i], err = tallies(mac, p, known.settings[p.owner()]); err != nil {
			return nil, err
		}
	}
	uses, err := usesTx(ctx, tx, payments, counts)
	if err != nil {
		return nil, err
	}
	out := make([]Decision, len(payments))
	for i, p := range payments {
		s, ok := known.settings[p.owner()]
		if !ok {
			continue
		}
		facts := Facts{Amount: p.Amount, Country: p.Country, Traits: p.Traits, Listed: known.lists[i],
			Uses: uses.of(p, counts[i])}
		if out[i] = s.Decide(facts); out[i].Blocked == "" {
			uses.addTx(tx, p, counts[i])
		}
	}
	return out, nil
}

// rules are what is known of the rules of some payments.
type rules struct {
	settings map[owner]Settings
	lists    [][]List // that have an entry for the payment at the same place
}

type listedRow struct {
	Ordinal int  `db:"ordinal"`
	List    List `db:"list"`
}

func readTx(ctx context.Context, tx *pg.Tx, payments []Payment) (rules, error) {
	var ordinals []int
	var applications, merchants []int64
	var kinds, values []string
	owners := make(map[owner]bool)
	for i, p := range payments {
		owners[p.owner()] = true
		for _, t := range p.Traits.listed() {
			ordinals, applications, merchants = append(ordinals, i), append(applications, p.ApplicationID),
				append(merchants, p.MerchantID)
			kinds, values = append(kinds, string(t.kind)), append(values, t.value)
		}
	}
	b := tx.Batch()
	settings := pg.Ask[row](b, `SELECT `+columns+` FROM card_rules WHERE (application_id, merchant_id) IN (
		SELECT * FROM unnest(@applications::bigint[], @merchants::bigint[]))`, ownersArgs(owners))
	listed := pg.Ask[listedRow](b, `
		SELECT w.ordinal, e.list
		FROM unnest(@ordinals::int[], @applications::bigint[], @merchants::bigint[], @kinds::text[], @values::text[])
			AS w (ordinal, application_id, merchant_id, kind, value)
		JOIN card_rule_entries e ON e.application_id = w.application_id AND e.merchant_id = w.merchant_id
			AND e.kind = w.kind AND e.value = w.value`,
		pg.Args{"ordinals": ordinals, "applications": applications, "merchants": merchants, "kinds": kinds,
			"values": values})
	if err := b.Run(ctx); err != nil {
		return rules{}, err
	}
	out := rules{make(map[owner]Settings), make([][]List, len(payments))}
	for _, r := range settings.Rows() {
		out.settings[r.owner()] = r.settings()
	}
	for _, l := range listed.Rows() {
		out.lists[l.Ordinal] = append(out.lists[l.Ordinal], l.List)
	}
	return out, nil
}

func ownersArgs(owners map[owner]bool) pg.Args {
	var applications, merchants []int64
	for o := range owners {
		applications, merchants = append(applications, o.ApplicationID), append(merchants, o.MerchantID)
	}
	return pg.Args{"applications": applications, "merchants": merchants}
}

// longestWindow is how long a use can count.
const longestWindow = maxHours * time.Hour

// tally is a velocity that counts a payment, with the keyed hash of the trait that it counts.
type tally struct {
	velocity
	what []byte
}

// tallies are the velocities that count a payment: those whose trait it has.
func tallies(mac *seal.MAC, p Payment, s Settings) (out []tally, err error) {
	for _, v := range s.velocities() {
		value := p.Traits.of(v.name)
		if value == "" {
			continue
		}
		what, err := mac.Sum(mac.Key(), []byte(string(v.name)+"\n"+value))
		if err != nil {
			return nil, err
		}
		out = append(out, tally{v, what})
	}
	return out, nil
}

// use is what a velocity counts: one trait of a merchant's payments.
type use struct {
	owner
	what string // its keyed hash
}

// uses are when the traits of some payments were used before, and by the payments that were decided.
type uses map[use][]time.Time

type usedRow struct {
	owner
	What   []byte     `db:"what"`
	UsedAt time.Time  `db:"used_at"`
	Charge ids.Charge `db:"charge_id"`
}

// usesTx locks the rules of the payments' merchants with velocities, in one order, and reads the uses.
func usesTx(ctx context.Context, tx *pg.Tx, payments []Payment, counts [][]tally) (uses, error) {
	out, owners := make(uses), make(map[owner]bool)
	var applications, merchants []int64
	var whats [][]byte
	var since []time.Time
	for i, p := range payments {
		for _, c := range counts[i] {
			owners[p.owner()] = true
			applications, merchants = append(applications, p.ApplicationID), append(merchants, p.MerchantID)
			whats, since = append(whats, c.what), append(since, p.At.Add(-c.span()))
		}
	}
	if len(whats) == 0 {
		return out, nil
	}
	if _, err := tx.Exec(ctx, `SELECT FROM card_rules WHERE (application_id, merchant_id) IN (
			SELECT * FROM unnest(@applications::bigint[], @merchants::bigint[]))
		ORDER BY application_id, merchant_id FOR NO KEY UPDATE`, ownersArgs(owners)); err != nil {
		return nil, err
	}
	// Another statement, which sees what the lock waited for. A trait of two payments has its rows twice.
	found, err := pg.All[usedRow](ctx, tx, `
		SELECT DISTINCT u.application_id, u.merchant_id, u.what, u.used_at, u.charge_id
		FROM unnest(@applications::bigint[], @merchants::bigint[], @whats::bytea[], @since::timestamptz[])
			AS w (application_id, merchant_id, what, since)
		JOIN card_rule_uses u ON u.application_id = w.application_id AND u.merchant_id = w.merchant_id
			AND u.what = w.what AND u.used_at > w.since`,
		pg.Args{"applications": applications, "merchants": merchants, "whats": whats, "since": since})
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		key := use{f.owner, string(f.What)}
		out[key] = append(out[key], f.UsedAt)
	}
	return out, nil
}

func (w Window) span() time.Duration { return time.Duration(w.Hours) * time.Hour }

// of counts the uses of a payment's traits within each window of its merchant.
func (u uses) of(p Payment, counts []tally) map[Name]int {
	out := make(map[Name]int)
	for _, c := range counts {
		for _, at := range u[use{p.owner(), string(c.what)}] {
			if at.After(p.At.Add(-c.span())) {
				out[c.name]++
			}
		}
	}
	return out
}

// addTx counts a payment, and queues that it is stored.
func (u uses) addTx(tx *pg.Tx, p Payment, counts []tally) {
	for _, c := range counts {
		key := use{p.owner(), string(c.what)}
		u[key] = append(u[key], p.At)
		tx.Later(`INSERT INTO card_rule_uses (application_id, merchant_id, what, used_at, charge_id)
			VALUES (@application_id, @merchant_id, @what, @at, @charge)`,
			pg.Args{"application_id": p.ApplicationID, "merchant_id": p.MerchantID, "what": c.what, "at": p.At,
				"charge": p.Charge})
	}
}

// PurgeUses deletes a batch of the uses that no longer count and returns how many there were. Ids of charges have the
// time of the server's clock. The application's clock, which windows go by, is never slower.
func (s *Service) PurgeUses(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, s.deps.Pool, `
		DELETE FROM card_rule_uses WHERE ctid = ANY (ARRAY(
			SELECT ctid FROM card_rule_uses WHERE charge_id < @old ORDER BY charge_id LIMIT @batch
			FOR UPDATE SKIP LOCKED))`,
		pg.Args{"old": ids.FirstCharge(s.deps.Clock.Machine().Add(-longestWindow)), "batch": pg.PurgeBatch})
}
