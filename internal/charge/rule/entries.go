package rule

import (
	"context"
	"fmt"
	"regexp"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Bounds of lists.
const (
	MaxAdded   = 500  // entries of one request
	MaxEntries = 5000 // of a merchant's lists together; a message of Add says so
)

// Entry is an entry of a merchant's lists.
type Entry struct {
	ID            ids.CardRuleEntry `db:"id" json:"id"`
	Object        string            `db:"-" json:"object"`
	Livemode      bool              `db:"-" json:"livemode"`
	ApplicationID int64             `db:"application_id" json:"-"`
	MerchantID    int64             `db:"merchant_id" json:"merchant_id"`
	List          List              `db:"list" json:"list"`
	Kind          Kind              `db:"kind" json:"kind"`
	// Value is what payments are compared with; of a card, its brand and last four digits.
	Value     string       `db:"label" json:"value"`
	Note      *string      `db:"note" json:"note"`
	AddedBy   string       `db:"added_by" json:"added_by"`
	CreatedAt instant.Time `db:"created_at" json:"created_at"`
}

const entryColumns = `id, application_id, merchant_id, list, kind, label, note, added_by, created_at`

func (s *Service) shown(e Entry) Entry {
	e.Object, e.Livemode = "card_rule_entry", s.deps.Livemode
	return e
}

// Additions are values to be added to a list. A card is named by a token or a charge that was made with it.
type Additions struct {
	List   *string  `json:"list"`
	Kind   *string  `json:"kind"`
	Values []string `json:"values"`
	Note   *string  `json:"note"`
}

// Added are the entries that were added. Those that a list had already are left out.
type Added struct {
	Object   string  `json:"object"`
	Livemode bool    `json:"livemode"`
	Entries  []Entry `json:"entries"`
}

var (
	binForm    = regexp.MustCompile(`^[0-9]{6}$`)
	domainForm = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$`)
)

// Validate returns every mistake that can be seen without looking anything up.
func (in Additions) Validate() fault.Fields {
	var fs fault.Fields
	check.Choice(&fs, "list", in.List, string(Allow), string(Block))
	check.Choice(&fs, "kind", in.Kind, Kinds()...)
	check.Text(&fs, "note", in.Note, 1, check.MaxDescription)
	check.Required(&fs, "values", in.Values != nil)
	if in.Values != nil && (len(in.Values) == 0 || len(in.Values) > MaxAdded) {
		fs.Add("values", "parameter_invalid", fmt.Sprintf("Send 1 to %d values.", MaxAdded))
	}
	if len(fs) > 0 {
		return fs
	}
	for i, value := range in.Values {
		if _, mistake := normal(Kind(*in.Kind), value); mistake != "" {
			fs.Add(fmt.Sprintf("values.%d", i), "parameter_invalid", mistake)
		}
	}
	return fs
}

// normal is a value in the form in which it is compared, or what is wrong with it.
func normal(kind Kind, value string) (out, mistake string) {
	value = strings.TrimSpace(value)
	switch kind {
	case Card:
		_, notToken := ids.ParseToken(value)
		if _, notCharge := ids.ParseCharge(value); notToken != nil && notCharge != nil {
			return "", "Enter the ID of a token (tok_…) or charge (ch_…) of this merchant, not the card number."
		}
		return value, ""
	case BIN:
		if !binForm.MatchString(value) {
			return "", "Use the first six digits of the card number."
		}
		return value, ""
	case Email:
		if !mailbox.Valid(value) {
			return "", "This is not an email address."
		}
		return strings.ToLower(mailbox.Normal(value)), ""
	case EmailDomain:
		_, domain, _ := strings.Cut(strings.ToLower(mailbox.Normal("x@"+strings.TrimPrefix(value, "@"))), "@")
		if !domainForm.MatchString(domain) || len(domain) > 253 {
			return "", "This is not a domain such as example.org."
		}
		return domain, ""
	case PostalCode:
		if out = plain(value); len(out) < 3 || len(out) > 12 {
			return "", "Use a postal code of 3 to 12 letters and digits."
		}
		return out, ""
	}
	return value, ""
}

// Entries returns a page of a merchant's entries, the newest first.
func (s *Service) Entries(ctx context.Context, actor authz.Actor, merchantID int64,
	in EntriesInput) (page.Of[Entry], error) {
	if err := s.deps.Check.Check(actor, authz.CardRuleRead); err != nil {
		return page.Of[Entry]{}, err
	}
	if err := Reach(ctx, s.deps.Pool, actor, merchantID); err != nil {
		return page.Of[Entry]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, `SELECT `+entryColumns+` FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id
			AND (@lists::text[] IS NULL OR list = ANY (@lists)) AND (@kinds::text[] IS NULL OR kind = ANY (@kinds))
			AND (@words = '' OR position(lower(@words) IN lower(label || ' ' || coalesce(note, ''))) > 0)`,
		owner{actor.ApplicationID, merchantID}.args(pg.Args{"lists": in.Lists, "kinds": in.Kinds, "words": in.Words}),
		s.shown)
}

// EntriesInput selects a page of entries; nil selects all.
type EntriesInput struct {
	Page  page.Input[ids.CardRuleEntry]
	Lists []string
	Kinds []string
	Words string // a part of the value or the note; "" selects all
}

// Add adds entries to a merchant's lists. An entry that its list has already is left out; one that the other list has
// is refused.
func (s *Service) Add(ctx context.Context, actor authz.Actor, merchantID int64, in Additions,
	claim *idempotency.Claim) (idempotency.Result[Added], error) {
	return change(ctx, s, actor, merchantID, in, claim, func(tx *pg.Tx, l locked) (Added, error) {
		return s.addTx(ctx, tx, actor, l, in)
	})
}

// wanted is an entry to be added, with what it is compared by.
type wanted struct {
	Entry
	value string
}

func (s *Service) addTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, l locked, in Additions) (Added, error) {
	out := Added{Object: "card_rule_entries", Livemode: s.deps.Livemode, Entries: []Entry{}}
	cards, err := cardsTx(ctx, tx, l.owner, in)
	if err != nil {
		return out, err
	}
	known, err := ReadLists(ctx, tx, l.ApplicationID, l.MerchantID)
	if err != nil {
		return out, err
	}
	var fs fault.Fields
	var added []wanted
	for i, value := range in.Values {
		w, mistake := s.entryOf(in, value, cards, actor, l.owner, l.moment)
		key := trait{w.Kind, w.value}
		switch list, listed := known[key]; {
		case mistake != "":
		case listed && list != w.List:
			mistake = "This value is on the other list. Remove it there first."
		case listed:
			continue
		}
		if mistake != "" {
			fs.Add(fmt.Sprintf("values.%d", i), "parameter_invalid", mistake)
			continue
		}
		known[key] = w.List
		added, out.Entries = append(added, w), append(out.Entries, s.shown(w.Entry))
	}
	if len(known) > MaxEntries {
		fs.Add("values", "parameter_invalid", "A merchant's lists can have up to 5,000 entries. Remove some first.")
	}
	if err := fs.Err(); err != nil || len(added) == 0 {
		return out, err
	}
	insertTx(tx, l.owner, added)
	after := l.before
	after.Entries += len(added)
	_, err = s.changedTx(tx, actor, l, after, listChange{added: out.Entries})
	return out, err
}

func (s *Service) entryOf(in Additions, value string, cards map[string]card, actor authz.Actor, o owner,
	m instant.Moment) (wanted, string) {
	value, mistake := normal(Kind(*in.Kind), value)
	w := wanted{value: value, Entry: Entry{ID: ids.NewCardRuleEntry(m.Machine), ApplicationID: o.ApplicationID,
		MerchantID: o.MerchantID, List: List(*in.List), Kind: Kind(*in.Kind), Value: value, Note: in.Note,
		AddedBy: by(actor), CreatedAt: instant.Of(m.At)}}
	if w.Kind == Card && mistake == "" {
		c, ok := cards[value]
		if !ok {
			return w, "This merchant has no token or charge of a card with this ID."
		}
		w.value, w.Value = c.Fingerprint, c.Label
	}
	return w, mistake
}

// by says who added an entry.
func by(a authz.Actor) string {
	switch {
	case a.Role.IsServer():
		return "API key " + a.KeyName
	case a.PersonName != "":
		return a.PersonName
	}
	return "operator"
}

// card is a card that a request names.
type card struct {
	Name        string `db:"name"`
	Fingerprint string `db:"fingerprint"`
	Label       string `db:"label"`
}

// CardLabelGap separates the brand and the last four digits of a listed card.
const CardLabelGap = " •••• "

// cardsTx reads the cards that entries name, by the names.
func cardsTx(ctx context.Context, tx *pg.Tx, o owner, in Additions) (map[string]card, error) {
	if Kind(*in.Kind) != Card {
		return nil, nil
	}
	var names []string
	var tokens []ids.Token
	var charges []ids.Charge
	for _, value := range in.Values {
		name, _ := normal(Card, value)
		token, _ := ids.ParseToken(name)
		charge, _ := ids.ParseCharge(name)
		names, tokens, charges = append(names, name), append(tokens, token), append(charges, charge)
	}
	found, err := pg.All[card](ctx, tx, `
		SELECT w.name, encode(t.fingerprint, 'hex') AS fingerprint, t.brand || @gap::text || t.last4 AS label
		FROM unnest(@names::text[], @tokens::uuid[], @charges::uuid[]) AS w (name, token_id, charge_id)
		JOIN tokens t ON t.application_id = @application_id AND t.merchant_id = @merchant_id
			AND t.id = coalesce(w.token_id, (SELECT c.token_id FROM charges c
				WHERE c.application_id = @application_id AND c.merchant_id = @merchant_id AND c.id = w.charge_id))
		WHERE t.brand IS NOT NULL`,
		o.args(pg.Args{"names": names, "tokens": tokens, "charges": charges, "gap": CardLabelGap}))
	out := make(map[string]card, len(found))
	for _, c := range found {
		out[c.Name] = c
	}
	return out, err
}

type knownRow struct {
	List  List   `db:"list"`
	Kind  Kind   `db:"kind"`
	Value string `db:"value"`
}

// Lists are a merchant's lists, by what they name.
type Lists map[trait]List

// Of are the lists that have an entry for a payment.
func (l Lists) Of(t Traits) (out []List) {
	for _, one := range t.listed() {
		if list, ok := l[one]; ok {
			out = append(out, list)
		}
	}
	return out
}

// ReadLists reads a merchant's lists.
func ReadLists(ctx context.Context, q pg.Querier, applicationID, merchantID int64) (Lists, error) {
	o := owner{applicationID, merchantID}
	rows, err := pg.All[knownRow](ctx, q, `SELECT list, kind, value FROM card_rule_entries
		WHERE application_id = @application_id AND merchant_id = @merchant_id`, o.args(nil))
	out := make(Lists, len(rows))
	for _, r := range rows {
		out[trait{r.Kind, r.Value}] = r.List
	}
	return out, err
}

func insertTx(tx *pg.Tx, o owner, added []wanted) {
	entries := make([]ids.CardRuleEntry, len(added))
	lists, kinds, values, labels := make([]string, len(added)), make([]string, len(added)), make([]string, len(added)),
		make([]string, len(added))
	notes := make([]*string, len(added))
	for i, w := range added {
		entries[i], lists[i], kinds[i], values[i], labels[i], notes[i] = w.ID, string(w.List), string(w.Kind), w.value,
			w.Value, w.Note
	}
	tx.Later(`
		INSERT INTO card_rule_entries (id, application_id, merchant_id, list, kind, value, label, note, added_by,
			created_at)
		SELECT e.id, @application_id, @merchant_id, e.list, e.kind, e.value, e.label, e.note, @added_by, @now
		FROM unnest(@ids::uuid[], @lists::text[], @kinds::text[], @values::text[], @labels::text[], @notes::text[])
			AS e (id, list, kind, value, label, note)`,
		o.args(pg.Args{"ids": entries, "lists": lists, "kinds": kinds, "values": values, "labels": labels,
			"notes": notes, "added_by": added[0].AddedBy, "now": added[0].CreatedAt}))
}
