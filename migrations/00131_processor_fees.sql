-- +goose NO TRANSACTION
-- +goose Up
-- The ledger entries of applications that concern no merchant: what processors charge for their services, and what they
-- refund of it. Like ledger_entries, a row moves its amount from credit to debit and never changes; the business key is
-- the processor's ID of the fee, so each is posted once. Servers of the previous version don't use the table. Its
-- reference to applications needs their lock: the migration waits at most 200 ms for it, then lets running servers
-- proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_application_entries() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            CREATE TABLE IF NOT EXISTS application_entries (
                processor         text NOT NULL,
                business_key      text NOT NULL,
                application_id    bigint NOT NULL REFERENCES applications (id),
                processor_account text NOT NULL,
                kind              text NOT NULL,
                debit             text NOT NULL,
                credit            text NOT NULL,
                amount            bigint NOT NULL CHECK (amount > 0),
                currency          text NOT NULL CHECK (currency ~ '^[a-z]{3}$'), -- that of the account's balance
                at                timestamptz NOT NULL, -- by the clock of the account
                created_at        timestamptz NOT NULL,
                PRIMARY KEY (processor, business_key),
                CONSTRAINT application_entries_kind CHECK ((kind, debit, credit) IN (
                    ('processor_fee', 'processor_fees', 'processor_receivable'),
                    ('processor_fee_refunded', 'processor_receivable', 'processor_fees')))
            );
            CREATE INDEX IF NOT EXISTS application_entries_by_time ON application_entries (application_id, at);
            CREATE OR REPLACE TRIGGER application_entries_guard BEFORE UPDATE OR DELETE ON application_entries
                FOR EACH ROW EXECUTE FUNCTION ledger_entries_are_immutable();
            CREATE OR REPLACE TRIGGER application_entries_guard_truncate BEFORE TRUNCATE ON application_entries
                FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_are_immutable();
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock applications in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL add_application_entries();
DROP PROCEDURE add_application_entries();
