package audit

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// SubjectName is how people know what an entry of the audit log is about: an amount of money, or a name.
type SubjectName struct {
	Amount   money.Amount
	Currency money.Currency // "" of what is no amount
	Name     string
}

// namedRow is an object that an entry is about.
type namedRow struct {
	Kind     string         `db:"kind"`
	ID       string         `db:"id"`
	Amount   money.Amount   `db:"amount"`
	Currency money.Currency `db:"currency"`
	Name     string         `db:"name"`
}

// subjectIDs parse the ids of the kinds of objects that have printed ids.
var subjectIDs = map[string]func(string) ([16]byte, bool){
	"charge": bytesOf(ids.ParseCharge), "refund": bytesOf(ids.ParseRefund), "dispute": bytesOf(ids.ParseDispute),
	"payout": bytesOf(ids.ParsePayout), "daf_donation": bytesOf(ids.ParseDonation), "api_key": bytesOf(ids.ParseKey),
	"webhook_endpoint":  bytesOf(ids.ParseEndpoint),
	"processor_account": bytesOf(ids.ParseProcessorAccount), "event": bytesOf(ids.ParseEvent),
}

func bytesOf[ID interface{ Bytes() [16]byte }](parse func(string) (ID, error)) func(string) ([16]byte, bool) {
	return func(text string) ([16]byte, bool) {
		id, err := parse(text)
		return id.Bytes(), err == nil
	}
}

// ofMerchants are the kinds that people know by their merchant.
var ofMerchants = map[string]bool{"merchant": true, "fee_schedule": true, "bank_account": true, "daf_enrollment": true,
	"card_rules": true}

// SubjectNames returns the names of what entries of the audit log are about, by entry, as far as there is such an
// object and the entry is of something that was done: what someone was refused is not theirs to know. The entries must
// be of [Log.List] for the same actor.
func (l *Log) SubjectNames(ctx context.Context, actor authz.Actor,
	entries []Entry) (map[ids.AuditEntry]SubjectName, error) {
	if err := l.Check(actor, authz.AuditRead); err != nil {
		return nil, err
	}
	wanted := map[string][]ids.AuditEntry{}
	var objects [][16]byte
	var applications, merchants, people []int64
	want := func(kind, id string, e Entry) { wanted[kind+" "+id] = append(wanted[kind+" "+id], e.ID) }
	for _, e := range entries {
		if e.Outcome != Done {
			continue
		}
		applications = append(applications, e.ApplicationID)
		number, err := strconv.ParseInt(e.SubjectID, 10, 64)
		switch parse := subjectIDs[e.SubjectKind]; {
		case parse != nil:
			if id, ok := parse(e.SubjectID); ok {
				objects = append(objects, id)
				want(e.SubjectKind, pgtype.UUID{Bytes: id, Valid: true}.String(), e)
			}
		case ofMerchants[e.SubjectKind] && e.MerchantID != nil:
			merchants = append(merchants, *e.MerchantID)
			want("merchant", strconv.FormatInt(*e.MerchantID, 10), e)
		case e.SubjectKind == "person" && err == nil:
			people = append(people, number)
			want("person", e.SubjectID, e)
		case e.SubjectKind == "application" && err == nil:
			applications = append(applications, number)
			want("application", e.SubjectID, e)
		case e.SubjectKind == "service_fee_schedule":
			want("application", strconv.FormatInt(e.ApplicationID, 10), e)
		}
	}
	rows, err := pg.All[namedRow](ctx, l.pool, selectSubjects,
		pg.Args{"applications": applications, "objects": objects, "merchants": merchants, "people": people})
	if err != nil {
		return nil, err
	}
	out := map[ids.AuditEntry]SubjectName{}
	for _, r := range rows {
		for _, entry := range wanted[r.Kind+" "+r.ID] {
			out[entry] = SubjectName{Amount: r.Amount, Currency: r.Currency, Name: r.Name}
		}
	}
	return out, nil
}

// selectSubjects finds objects of some applications. An id names one object: what kind it is of, its entry says.
const selectSubjects = `
	SELECT 'charge' AS kind, id::text AS id, amount, currency, '' AS name FROM charges
		WHERE application_id = ANY (@applications::bigint[]) AND id = ANY (@objects::uuid[])
	UNION ALL SELECT 'refund', id::text, amount, currency, '' FROM refunds WHERE application_id = ANY (@applications)
		AND id = ANY (@objects)
	UNION ALL SELECT 'dispute', id::text, amount, currency, '' FROM disputes WHERE application_id = ANY (@applications)
		AND id = ANY (@objects)
	UNION ALL SELECT 'payout', id::text, amount, currency, '' FROM payouts WHERE application_id = ANY (@applications)
		AND id = ANY (@objects)
	UNION ALL SELECT 'daf_donation', id::text, amount, currency, '' FROM daf_donations
		WHERE application_id = ANY (@applications) AND id = ANY (@objects)
	UNION ALL SELECT 'api_key', id::text, 0, '', name FROM api_keys WHERE application_id = ANY (@applications)
		AND id = ANY (@objects)
	UNION ALL SELECT 'webhook_endpoint', id::text, 0, '', url FROM webhook_endpoints
		WHERE application_id = ANY (@applications) AND id = ANY (@objects)
	UNION ALL SELECT 'processor_account', id::text, 0, '', external_account FROM processor_accounts
		WHERE application_id = ANY (@applications) AND id = ANY (@objects)
	UNION ALL SELECT 'event', id::text, 0, '', type FROM events WHERE application_id = ANY (@applications)
		AND id = ANY (@objects)
	UNION ALL SELECT 'merchant', id::text, 0, '', name FROM merchants WHERE application_id = ANY (@applications)
		AND id = ANY (@merchants::bigint[])
	UNION ALL SELECT 'person', id::text, 0, '', name FROM people WHERE id = ANY (@people::bigint[])
	UNION ALL SELECT 'application', id::text, 0, '', name FROM applications WHERE id = ANY (@applications)`
