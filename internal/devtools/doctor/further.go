package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor/accounts"
)

// From when on something is doubtful, or wrong.
const (
	certificateEnds = 30 * 24 * time.Hour
	callIsOld       = 10 * time.Minute
	deliveryIsOld   = time.Hour
	mailPatience    = 5 * time.Second
	vaultSample     = 100
	leastFree       = 10 // percent
	vanishing       = 3  // percent
)

func vaultKeys(ctx context.Context, p Patient) (Finding, error) {
	seen, err := p.Vault.Examine(ctx, p.Pool, ids.Token{}, vaultSample)
	if len(seen.Sealed) > 0 {
		return wrong(fmt.Sprintf("%d of the vault's first %d rows do not open", len(seen.Sealed),
			len(seen.Sealed)+seen.Opened), "put back the key file that they were sealed by"), err
	}
	return good(fmt.Sprintf("the vault's first %d rows open", seen.Opened)), err
}

// role looks at what the server's database role may do. One that owns the tables, or is a member of a role that does,
// can rewrite the audit log and the ledger, and so can everyone who takes over a server.
func role(ctx context.Context, p Patient) (Finding, error) {
	owns, err := pg.Value[bool](ctx, p.Pool, `
		SELECT r.rolsuper OR EXISTS (SELECT FROM pg_class c
			WHERE c.relnamespace = 'public'::regnamespace AND pg_has_role(c.relowner, 'MEMBER'))
		FROM pg_roles r WHERE r.rolname = current_user`, pg.Args{})
	switch {
	case err != nil || !owns:
		return good("the server's database role owns no table"), err
	case p.Production:
		return doubtful("the server's database role owns tables, so it could rewrite the audit log",
			"connect as the role of svcpay migrate --grant"), nil
	}
	return good("the server's database role may own tables in a sandbox"), nil
}

func mails(ctx context.Context, p Patient) (Finding, error) {
	if p.Mailer == nil {
		return doubtful("no mail is sent, and administrators pass links on themselves",
			"set SVCPAY_SMTP_URL and SVCPAY_MAIL_FROM"), nil
	}
	ctx, cancel := context.WithTimeout(ctx, mailPatience)
	defer cancel()
	if err := p.Mailer.Reach(ctx); err != nil {
		return wrong("the mail server does not let us in: "+err.Error(),
			"look at SVCPAY_SMTP_URL and at the server"), nil
	}
	return good("the mail server lets us in"), nil
}

func certificates(_ context.Context, p Patient) (Finding, error) {
	if len(p.Certificates) == 0 {
		return good("there are no certificates of wallets"), nil
	}
	first := slices.MinFunc(p.Certificates, func(a, b Certificate) int { return a.Expires.Compare(b.Expires) })
	text := fmt.Sprintf("%s ends first, on %s", first.Name, first.Expires.UTC().Format(time.DateOnly))
	switch left := first.Expires.Sub(p.Now()); {
	case left <= 0:
		// a server does not start without a good one
		return doubtful(text, "take it out of its file if another has its place"), nil
	case left < certificateEnds:
		return doubtful(text, "have the wallet's provider make another"), nil
	}
	return good(text), nil
}

func leader(ctx context.Context, p Patient) (Finding, error) {
	until, err := pg.Value[*time.Time](ctx, p.Pool, `SELECT max(expires_at)::timestamptz FROM river.river_leader`,
		pg.Args{})
	if err != nil {
		return Finding{}, err
	}
	if until == nil || !p.Now().Before(*until) {
		return doubtful("no server leads the background jobs",
			"start svcpay serve, or look at the log of the one that runs"), nil
	}
	return good("a server leads the background jobs"), nil
}

// since says how old the oldest of something is: none, young, or older than it should be.
func (p Patient) since(oldest *time.Time, bound time.Duration, none, some, remedy string,
	of func(text, remedy string) Finding) Finding {
	if oldest == nil {
		return good(none)
	}
	age := p.Now().Sub(*oldest).Round(time.Second)
	text := fmt.Sprintf(some, age)
	if age > bound {
		return of(text, remedy)
	}
	return good(text)
}

func unresolved(ctx context.Context, p Patient) (Finding, error) {
	oldest, err := pg.Value[*time.Time](ctx, p.Pool, `
		SELECT min(created_at) FROM processor_operations WHERE next_check_at IS NOT NULL AND state = 'open'`, pg.Args{})
	return p.since(oldest, callIsOld, "every call to the processor has its outcome",
		"the oldest call to the processor without an outcome is %s old",
		"ask the processor by our reference: docs/runbook.md, UnknownOutcomes", wrong), err
}

// waiting is how many calls wait for a processor.
type waiting struct {
	Processor string `db:"processor"`
	Calls     int    `db:"calls"`
}

// absent looks for calls without an outcome at processors that the deployment does not have: no server can ask for it.
func absent(ctx context.Context, p Patient) (Finding, error) {
	all, err := pg.All[waiting](ctx, p.Pool, `
		SELECT processor, count(*)::int AS calls FROM processor_operations
		WHERE next_check_at IS NOT NULL AND state = 'open' AND kind <> 'grant'
			AND processor <> ALL (coalesce(@names::text[], '{}'))
		GROUP BY processor ORDER BY processor`, pg.Args{"names": p.Processors.Names()})
	if err != nil || len(all) == 0 {
		return good("this deployment has every processor whose calls have no outcome"), err
	}
	var names []string
	for _, w := range all {
		names = append(names, fmt.Sprintf("%s (%d)", w.Processor, w.Calls))
	}
	return wrong("calls wait for processors that this deployment does not have: "+strings.Join(names, ", "),
		"configure the processor again until its calls have an outcome: docs/operations.md, Processor accounts"), nil
}

// fewMerchants is how many merchants a finding names.
const fewMerchants = 5

// processing looks for active merchants whose cards no processor account serves, or whose payouts.
func processing(ctx context.Context, p Patient) (Finding, error) {
	merchants, err := accounts.Unserved(ctx, p.Pool, p.Processors)
	if err != nil || len(merchants) == 0 {
		return good("every active merchant has a processor account for cards and payouts"), err
	}
	var names []string
	for _, m := range merchants[:min(len(merchants), fewMerchants)] {
		names = append(names, fmt.Sprintf("%d (application %d, no %s)", m.MerchantID, m.ApplicationID, m.Method))
	}
	if more := len(merchants) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return doubtful("these merchants have no processor account for cards or payouts: "+strings.Join(names, ", "),
		"connect accounts under Processing in the portal, or with svcpay processors connect"), nil
}

func undelivered(ctx context.Context, p Patient) (Finding, error) {
	oldest, err := pg.Value[*time.Time](ctx, p.Pool, `SELECT min(created_at) FROM webhook_due`, pg.Args{})
	return p.since(oldest, deliveryIsOld, "every webhook was delivered or given up",
		"the oldest webhook that was not delivered is %s old",
		"tell the endpoint's application: its page in the portal shows what it answers", doubtful), err
}

func books(ctx context.Context, p Patient) (Finding, error) {
	n, err := pg.Value[int](ctx, p.Pool, `
		SELECT (SELECT count(*) FROM ledger_differences WHERE healed_at IS NULL)::int + (SELECT count(*)
			FROM reconciliation_differences WHERE resolved_at IS NULL)::int`, pg.Args{})
	if n > 0 {
		return wrong(fmt.Sprintf("%d differences are open between our books and others", n),
			"run svcpay reconcile, and see docs/reconciliation.md"), err
	}
	return good("the books agree"), err
}

// chains looks at the ends of the audit log's chains alone; svcpay audit verify computes them again.
func chains(ctx context.Context, p Patient) (Finding, error) {
	n, err := pg.Value[int](ctx, p.Pool, `
		SELECT count(*)::int FROM audit_chains c
		WHERE c.position <> coalesce((SELECT max(e.position) FROM audit_entries e
			WHERE e.application_id = c.application_id), 0)`, pg.Args{})
	if n > 0 {
		return wrong(fmt.Sprintf("%d chains of the audit log do not end where their heads are", n),
			"run svcpay audit verify, and find out who wrote to the database"), err
	}
	return good("every chain of the audit log ends where its head is"), err
}

func disk(ctx context.Context, p Patient) (Finding, error) {
	type place struct {
		Size int64   `db:"size"`
		Dir  *string `db:"dir"`
	}
	d, err := pg.One[place](ctx, p.Pool, `
		SELECT pg_database_size(current_database()) AS size, (SELECT setting FROM pg_settings
			WHERE name = 'data_directory') AS dir`, pg.Args{})
	if err != nil {
		return Finding{}, err
	}
	text := fmt.Sprintf("the database has %d MiB", d.Size>>20)
	if d.Dir == nil {
		return good(text + "; where its disk is, this user may not know"), nil
	}
	free, size, err := p.Disk(*d.Dir)
	if err != nil || size == 0 {
		return good(text + "; its disk is not this machine's"), nil
	}
	percent := free * 100 / size
	text += fmt.Sprintf(", and %d %% of its disk are free", percent)
	switch remedy := "make room, or give the database a larger disk"; {
	case percent < vanishing:
		return wrong(text, remedy), nil
	case percent < leastFree:
		return doubtful(text, remedy), nil
	}
	return good(text), nil
}

// nearQuota is the percentage of a daily quota from which someone should look.
const nearQuota = 80

// quotas looks for applications that have used most of what they may store today.
func quotas(ctx context.Context, p Patient) (Finding, error) {
	type use struct {
		ApplicationID int64  `db:"application_id"`
		Kind          string `db:"kind"`
		Percent       int64  `db:"percent"`
	}
	found, err := pg.All[use](ctx, p.Pool, `
		SELECT application_id, kind, bytes * 100 / most AS percent FROM stored_bytes
		WHERE day >= (@now::timestamptz AT TIME ZONE 'UTC')::date AND bytes * 100 / most >= @near
		ORDER BY percent DESC, application_id, kind LIMIT 1`, pg.Args{"now": p.Now(), "near": nearQuota})
	if err != nil || len(found) == 0 {
		return good("no application is near its daily quota for files or exports"), err
	}
	u := found[0]
	return doubtful(fmt.Sprintf("application %d has used %d %% of today's quota for %s", u.ApplicationID, u.Percent,
		u.Kind), "see in the audit log which key or person stores so much; revoke the key if it is misused"), nil
}

// connections compares what this server may open with what the database has. While a server hands over to its
// successor, both are there.
func connections(ctx context.Context, p Patient) (Finding, error) {
	type counts struct {
		Most  int `db:"most"`
		InUse int `db:"in_use"`
	}
	c, err := pg.One[counts](ctx, p.Pool, `
		SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most,
			(SELECT count(*)::int FROM pg_stat_activity WHERE backend_type = 'client backend') AS in_use`, pg.Args{})
	ours := int(p.Pool.Config().MaxConns)
	text := fmt.Sprintf("a server opens up to %d connections, the database takes %d, and %d are open", ours,
		c.Most, c.InUse)
	switch remedy := "raise max_connections, or set pool_max_conns in DATABASE_URL"; {
	case err != nil:
		return Finding{}, err
	case ours > c.Most:
		return wrong(text, remedy), nil
	case 2*ours > c.Most:
		return doubtful(text+": a server and its successor need more", remedy), nil
	}
	return good(text), nil
}

// bounds: connections of ours ask for them when they begin. A pooler that overhears that leaves statements
// that may run, and hold locks, for ever.
func bounds(ctx context.Context, p Patient) (Finding, error) {
	off, err := pg.Value[string](ctx, p.Pool, `
		SELECT coalesce(string_agg(name, ', ' ORDER BY name), '') FROM pg_settings
		WHERE name IN ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout')
			AND setting = '0'`, pg.Args{})
	if off != "" {
		return doubtful("nothing bounds statements: "+off+" is 0",
			"have the pooler set what it ignores: docs/scale.md, PgBouncer"), err
	}
	return good("statements, waits for locks and idle transactions are bounded"), err
}

// compiler: connections of ours ask for none, which a pooler may overhear, too.
func compiler(ctx context.Context, p Patient) (Finding, error) {
	jit, err := pg.Value[string](ctx, p.Pool, `SELECT current_setting('jit')`, pg.Args{})
	if jit == "on" {
		return doubtful("PostgreSQL compiles statements that it takes for long ones: jit is on",
			"have the pooler set what it ignores: docs/scale.md, PgBouncer"), err
	}
	return good("no statement waits for a compiler"), err
}

// quotes: the log of PostgreSQL is no place for payers. It has the row that a statement was refused for, unless it is
// terse, and where it has statements, what these were given.
func quotes(ctx context.Context, p Patient) (Finding, error) {
	said, err := pg.Value[string](ctx, p.Pool, `
		SELECT coalesce(string_agg(name || ' is ' || setting, ', ' ORDER BY name), '') FROM pg_settings
		WHERE name = 'log_error_verbosity' AND setting <> 'terse' OR name = 'log_parameter_max_length_on_error'
			AND setting <> '0'
			OR name = 'log_parameter_max_length' AND setting <> '0'
				AND (current_setting('log_statement') IN ('mod', 'all')
				OR current_setting('log_min_duration_statement') <> '-1'
					OR current_setting('log_min_duration_sample') <> '-1')`, pg.Args{})
	if said != "" {
		return doubtful("PostgreSQL's log may quote payers: "+said,
			"have it say less: docs/operations.md, The first installation"), err
	}
	return good("PostgreSQL's log quotes no rows"), err
}
