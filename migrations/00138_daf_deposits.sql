-- +goose NO TRANSACTION
-- +goose Up
-- Money of grants that arrived at organizations' accounts with the DAF provider Chariot: the deposits that were read,
-- and what of them is of our grants, numbered as it was read last. Reconciliations compare it with donations, and know a
-- kind of difference more. The migration waits at most 200 ms for a lock, then lets running servers proceed and tries
-- again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_daf_deposits() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            CREATE TABLE IF NOT EXISTS chariot_deposits (
                id         text PRIMARY KEY,
                status     text NOT NULL, -- in the provider's words
                updated_at timestamptz NOT NULL
            );
            -- amount arrived after fee was deducted; both are 0 of money that was returned.
            CREATE TABLE IF NOT EXISTS chariot_arrivals (
                donation_id text PRIMARY KEY, -- the provider's
                number      bigint NOT NULL UNIQUE,
                deposit_id  text NOT NULL,
                reference   text NOT NULL,
                amount      bigint NOT NULL,
                fee         bigint NOT NULL,
                at          timestamptz NOT NULL
            );
            CREATE INDEX IF NOT EXISTS chariot_arrivals_by_deposit ON chariot_arrivals (deposit_id);
            ALTER TABLE chariot_state
                ADD COLUMN IF NOT EXISTS last_arrival bigint NOT NULL DEFAULT 0, -- number of an arrival
                ADD COLUMN IF NOT EXISTS deposits_walked_at timestamptz;
            -- The same as reconciliations read it. reported_fee is that of the answer to the grant, if it named one.
            CREATE TABLE IF NOT EXISTS reconciliation_arrivals (
                provider     text NOT NULL,
                id           text NOT NULL,
                reference    text NOT NULL,
                amount       bigint NOT NULL,
                fee          bigint NOT NULL,
                reported_fee bigint,
                at           timestamptz NOT NULL,
                PRIMARY KEY (provider, id)
            );
            CREATE INDEX IF NOT EXISTS reconciliation_arrivals_by_reference
                ON reconciliation_arrivals (provider, reference);
            ALTER TABLE reconciliation_cursors ADD COLUMN IF NOT EXISTS arrival bigint NOT NULL DEFAULT 0;
            ALTER TABLE reconciliation_differences DROP CONSTRAINT IF EXISTS reconciliation_differences_kind;
            ALTER TABLE reconciliation_differences ADD CONSTRAINT reconciliation_differences_kind CHECK (kind IN (
                'unknown_reference', 'missing_in_book', 'submitted_twice', 'approval_differs', 'amount_differs',
                'currency_differs', 'kind_differs', 'account_differs', 'posting_missing', 'posting_differs',
                'posting_unexpected', 'open_too_long', 'tracking_differs', 'state_differs', 'arrival_differs'))
                NOT VALID;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the tables in 200 attempts; run the migration again';
    END IF;
    ALTER TABLE reconciliation_differences VALIDATE CONSTRAINT reconciliation_differences_kind;
END $$;
-- +goose StatementEnd
CALL add_daf_deposits();
DROP PROCEDURE add_daf_deposits();
