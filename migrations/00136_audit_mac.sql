-- +goose NO TRANSACTION
-- +goose Up
-- The key of an entry's hash; NULL for a plain SHA-256, as servers of the previous version and commands without the
-- vault's key file go on writing. The migration waits at most 200 ms for the lock, then lets running servers proceed
-- and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE key_audit_entries() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE audit_entries ADD COLUMN IF NOT EXISTS mac_key bigint;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the audit log in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL key_audit_entries();
DROP PROCEDURE key_audit_entries();
