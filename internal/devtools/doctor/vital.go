package doctor

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/migrations"
)

// Schema reports whether a database has this version's schema.
func Schema(ctx context.Context, url string) Finding {
	return Patient{}.look(ctx, check{"schema", func(context.Context, Patient) (Finding, error) {
		pending, err := migrations.Pending(ctx, url)
		if pending {
			return wrong("the database has another schema than this version", "run svcpay migrate first"), err
		}
		return good("the database has this version's schema"), err
	}})
}

// maxDrift is how far this machine's clock may be from the database's. A binary with another
// time could take a call that is in progress for one that was lost long ago.
const maxDrift = 2 * time.Second

// Clock compares this machine's clock with the database's.
func Clock(ctx context.Context, p Patient) Finding { return p.look(ctx, check{"clock", clockOf}) }

func clockOf(ctx context.Context, p Patient) (Finding, error) {
	before := p.Now()
	theirs, err := pg.Value[time.Time](ctx, p.Pool, `SELECT clock_timestamp()`, pg.Args{})
	if err != nil {
		return Finding{}, err
	}
	if theirs.Before(before.Add(-maxDrift)) || theirs.After(p.Now().Add(maxDrift)) {
		return wrong(fmt.Sprintf("this machine's clock and the database's differ by %v",
			theirs.Sub(before).Round(time.Second)), "set them right"), nil
	}
	return good("this machine's clock and the database's agree"), nil
}

// durability looks at the settings without which PostgreSQL forgets what it has acknowledged. Machines of developers
// may have them off.
func durability(ctx context.Context, p Patient) (Finding, error) {
	type settings struct {
		Fsync  string `db:"fsync"`
		Commit string `db:"commit"`
		Pages  string `db:"pages"`
	}
	s, err := pg.One[settings](ctx, p.Pool, `
		SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commit,
			current_setting('full_page_writes') AS pages`, pg.Args{})
	if err != nil {
		return Finding{}, err
	}
	var off string
	switch {
	case s.Fsync == "off":
		off = "fsync"
	case s.Commit == "off":
		off = "synchronous_commit"
	case s.Pages == "off":
		off = "full_page_writes"
	default:
		return good("PostgreSQL writes down what it acknowledges"), nil
	}
	text, remedy := "PostgreSQL may lose what it has acknowledged: "+off+" is off", "switch "+off+
		" on in postgresql.conf"
	if p.Production {
		return wrong(text, remedy), nil
	}
	return doubtful(text, remedy), nil
}

// Environment reports whether a database is another environment's, be it of an older version or empty.
func Environment(ctx context.Context, p Patient) Finding {
	return p.look(ctx, check{"environment", environment})
}

const ownDatabase = "give each environment a database of its own"

// environment reports whether the database is another environment's: by the public keys that it holds, and by clocks
// that were moved, which only a sandbox's are. An empty database is no one's.
func environment(ctx context.Context, p Patient) (Finding, error) {
	ours, other := "sandbox", "production"
	if p.Production {
		ours, other = other, ours
	}
	begun, err := pg.Value[bool](ctx, p.Pool, `SELECT to_regclass('api_keys') IS NOT NULL`, pg.Args{})
	if err != nil || !begun {
		return good("the database is empty"), err
	}
	n, err := pg.Value[int](ctx, p.Pool, `SELECT count(*)::int FROM api_keys
		WHERE public_value LIKE 'pk\_' || @other || '\_%'`, pg.Args{"other": other})
	if n > 0 {
		return wrong(fmt.Sprintf("this is %s, and the database holds %d keys of %s", ours, n, other), ownDatabase), err
	}
	if err != nil || !p.Production {
		return good("the database holds nothing of another environment"), err
	}
	moved, err := pg.Value[bool](ctx, p.Pool, `SELECT EXISTS (SELECT FROM application_clocks)`, pg.Args{})
	if moved {
		return wrong("this is production, and the database holds clocks of a sandbox", ownDatabase), err
	}
	return good("the database holds nothing of another environment"), err
}
