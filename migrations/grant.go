package migrations

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// ServerRole is the role that servers have in `svcpay dev` and in tests; operators choose a name of their own.
const ServerRole = "svcpay_run"

// AppendOnly lists the tables whose rows a server adds and reads, and never changes or deletes.
func AppendOnly() []string { return []string{"application_entries", "audit_entries", "ledger_entries"} }

// kept are tables whose rows a server changes, and never deletes.
var kept = []string{"audit_chains"}

// Grant gives a role what a server needs, and takes everything else from it: it reads and writes rows, but owns no
// table, truncates none, and changes no row of [AppendOnly]. It creates the role if there is none, without a password.
// The role must not be the one that owns the tables, nor a member of it, nor a superuser.
func Grant(ctx context.Context, databaseURL, role string) (err error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	const settings = `SELECT set_config('svcpay.role', $1, true), set_config('svcpay.append_only', $2, true),
		set_config('svcpay.kept', $3, true), set_config('svcpay.queue', $4, true)`
	if _, err := tx.Exec(ctx, settings, role, array(AppendOnly()), array(kept),
		RiverSchema); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if _, err := tx.Exec(ctx, grants); err != nil {
		return fmt.Errorf("migrations: grant: %w", err)
	}
	if err := tx.Commit(ctx); err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	return nil
}

// array is names of tables as the text of an array.
func array(names []string) string { return "{" + strings.Join(names, ",") + "}" }

// grants reads the settings of [Grant]. From version 17 of PostgreSQL on, the job queue may also maintain its indexes.
const grants = `DO $$
DECLARE
	runs text := current_setting('svcpay.role');
	one record;
	rights text;
BEGIN
	PERFORM pg_advisory_xact_lock(hashtext('svcpay.grant')); -- two at once would change the same rows of the catalog
	IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = runs) THEN
		BEGIN
			EXECUTE format('CREATE ROLE %I LOGIN', runs);
		EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- made for another database of the server
		END;
	END IF;
	IF (SELECT rolsuper FROM pg_roles WHERE rolname = runs) OR pg_has_role(runs, current_user, 'MEMBER')
		OR EXISTS (SELECT FROM pg_database WHERE datname = current_database() AND pg_has_role(runs, datdba, 'MEMBER'))
		OR EXISTS (SELECT FROM pg_class
			WHERE relnamespace = 'public'::regnamespace AND pg_has_role(runs, relowner, 'MEMBER'))
	THEN
		RAISE EXCEPTION 'the role % owns the tables or is a superuser: name another one', runs;
	END IF;
	EXECUTE format('REVOKE CREATE ON SCHEMA public FROM PUBLIC, %I', runs);
	EXECUTE format('GRANT USAGE ON SCHEMA public, %I TO %I', current_setting('svcpay.queue'), runs);
	FOR one IN SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm') AND n.nspname IN ('public', current_setting('svcpay.queue'))
	LOOP
		rights := CASE
			WHEN one.nspname = 'public' AND one.relname = 'goose_db_version' THEN 'SELECT'
			WHEN one.nspname = 'public' AND one.relname = ANY (current_setting('svcpay.append_only')::text[])
				THEN 'SELECT, INSERT'
			WHEN one.nspname = 'public' AND one.relname = ANY (current_setting('svcpay.kept')::text[])
				THEN 'SELECT, INSERT, UPDATE'
			ELSE 'SELECT, INSERT, UPDATE, DELETE' END;
		IF one.nspname = current_setting('svcpay.queue') AND current_setting('server_version_num')::int >= 170000 THEN
			rights := rights || ', MAINTAIN';
		END IF;
		EXECUTE format('REVOKE ALL ON %I.%I FROM %I', one.nspname, one.relname, runs);
		EXECUTE format('GRANT %s ON %I.%I TO %I', rights, one.nspname, one.relname, runs);
	END LOOP;
	EXECUTE format('GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public, %I TO %I', current_setting('svcpay.queue'),
		runs);
END $$`
