package e2e

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// original is a charge, made over the API, of which there will be many, with the refund or the dispute that
// it has: ids as stored and as printed.
type original struct {
	charge, sub         [16]byte
	chargeName, subName string
}

// copyTables copies what there is of one charge, once for each row of n. What is made up again are ids; times
// and amounts stay. Names of ids are replaced wherever they stand.
var copyTables = []string{
	`INSERT INTO charges
		SELECT (jsonb_populate_record(o, jsonb_build_object('id', n.charge, 'processor_reference', n.charge_name))).*
		FROM charges o, ` + news + ` WHERE o.id = @charge`,
	`INSERT INTO processor_operations SELECT (jsonb_populate_record(o, jsonb_build_object('id', ` + newID +
		`, 'charge_id', n.charge,
			'subject_id', CASE o.subject_id WHEN @charge THEN n.charge ELSE n.sub END, 'idempotency_key', NULL,
			'reference', replace(replace(o.reference, @charge_name, n.charge_name), @sub_name, n.sub_name)))).*
		FROM processor_operations o, ` + news + ` WHERE o.charge_id = @charge`,
	`INSERT INTO refunds
		SELECT (jsonb_populate_record(o, jsonb_build_object('id', n.sub, 'charge_id', n.charge, 'processor_reference',
			n.sub_name))).*
		FROM refunds o, ` + news + ` WHERE o.id = @sub`,
	`INSERT INTO disputes
		SELECT (jsonb_populate_record(o, jsonb_build_object('id', n.sub, 'charge_id', n.charge, 'processor_dispute',
			'case_' || n.sub_name))).*
		FROM disputes o, ` + news + ` WHERE o.id = @sub`,
	`INSERT INTO ledger_entries SELECT (jsonb_populate_record(o, jsonb_build_object('id', ` + newID + `, 'charge_id',
		n.charge,
			'source_id', CASE o.source_id WHEN @charge THEN n.charge ELSE n.sub END,
			'business_key', replace(replace(o.business_key, @charge_name, n.charge_name), @sub_name, n.sub_name)))).*
		FROM ledger_entries o, ` + news + ` WHERE o.charge_id = @charge`,
	`INSERT INTO fee_events
		SELECT (jsonb_populate_record(o, jsonb_build_object('source_id', CASE o.source_id WHEN @charge THEN n.charge
			ELSE n.sub END))).*
		FROM fee_events o, ` + news + ` WHERE o.source_id IN (@charge, @sub)`,
	`INSERT INTO events SELECT (jsonb_populate_record(o, jsonb_build_object('id', ` + newID + `, 'sequence', NULL,
			'object_id', CASE o.object_id WHEN @charge THEN n.charge ELSE n.sub END,
			'object', replace(replace(o.object::text, @charge_name, n.charge_name), @sub_name, n.sub_name)::json))).*
		FROM events o, ` + news + ` WHERE o.object_id IN (@charge, @sub)`,
	`INSERT INTO sandbox_processor_book (kind, reference, original, account, amount, currency, captured, approved,
		last4, test_case,
			answer, visible_at, account_at, created_at)
		SELECT o.kind, n.charge_name, NULL, o.account, o.amount, o.currency, o.captured, o.approved, o.last4,
			o.test_case,
			o.answer, o.visible_at, o.account_at, o.created_at
		FROM sandbox_processor_book o, ` + news + ` WHERE o.reference = @charge_name`,
}

const (
	news = `unnest(@charges::uuid[], @charge_names::text[], @subs::uuid[], @sub_names::text[]) AS n (charge, charge_name, sub, sub_name)`
	// newID is an id of the same time as the row's.
	newID = `(left(replace(o.id::text, '-', ''), 12) || right(replace(gen_random_uuid()::text, '-', ''), 20))::uuid`
)

// multiply makes copies of a charge with all that belongs to it, in batches that a statement's time-out allows.
func (p *place) multiply(t *testing.T, o original, n int) {
	t.Helper()
	const batch = 500
	for made := 0; made < n; made += batch {
		var charges, subs [][16]byte
		var chargeNames, subNames []string
		for range min(batch, n-made) {
			id, sub := ids.NewCharge(time.Now()), ids.NewDispute(time.Now()).Bytes()
			name := ids.DisputeFrom(sub).String()
			if strings.HasPrefix(o.subName, "re_") {
				name = ids.RefundFrom(sub).String()
			}
			charges, chargeNames = append(charges, id.Bytes()), append(chargeNames, id.String())
			subs, subNames = append(subs, sub), append(subNames, name)
		}
		all := pg.Args{"charge": o.charge, "sub": o.sub, "charge_name": o.chargeName, "sub_name": o.subName,
			"charges": charges, "charge_names": chargeNames, "subs": subs, "sub_names": subNames}
		for _, sql := range copyTables {
			args := pg.Args{}
			for name, value := range all {
				if regexp.MustCompile(`@` + name + `\b`).MatchString(sql) {
					args[name] = value
				}
			}
			if _, err := pg.Exec(t.Context(), p.pool, p.given(t, sql), args); err != nil {
				t.Fatalf("%v\n%s", err, sql)
			}
		}
	}
}

var wholeRows = regexp.MustCompile(`(?s)^INSERT INTO (\w+) SELECT (\(jsonb_populate_record\(.*\)\))\.\*(\s+FROM .*)$`)

// given is a statement that copies whole rows, with the columns that are not made of others.
func (p *place) given(t *testing.T, sql string) string {
	t.Helper()
	m := wholeRows.FindStringSubmatch(sql)
	if m == nil {
		return sql
	}
	columns := value[[]string](t, p, `
		SELECT array_agg(column_name::text) FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = @name AND is_generated = 'NEVER'
			AND is_identity = 'NO'`, pg.Args{"name": m[1]})
	return "INSERT INTO " + m[1] + " (" + strings.Join(columns, ", ") + ") SELECT (r)." +
		strings.Join(columns, ", (r).") +
		" FROM (SELECT " + m[2] + " AS r" + m[3] + ") copies"
}
