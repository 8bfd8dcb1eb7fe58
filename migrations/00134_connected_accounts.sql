-- +goose NO TRANSACTION
-- +goose Up
-- Accounts that are connected to a platform account of the same processor can use its credentials: platform_id names it.
-- Servers of the previous version read these rows too, but not platform_id: at a row without credentials they stop the
-- Stripe feed of all tenants. So accounts are created or linked only once all servers run this version, and the
-- previous one must not run afterwards. The migration adds no such row.
-- account_creations are the accounts that we asked a processor to create. The ID is our reference there, and then the ID
-- of the processor account. Name and email are '' once the status is final. Every payment reads processor_accounts and
-- merchants: the migration waits at most 200 ms for their locks, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_connected_accounts() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE processor_accounts ADD COLUMN IF NOT EXISTS platform_id uuid REFERENCES processor_accounts (id);
            CREATE TABLE IF NOT EXISTS account_creations (
                id               uuid PRIMARY KEY,
                application_id   bigint NOT NULL REFERENCES applications (id),
                merchant_id      bigint NOT NULL,
                processor        text NOT NULL,
                platform_account text NOT NULL, -- the platform's external account
                country          text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
                business_type    text NOT NULL,
                name             text NOT NULL,
                email            text NOT NULL,
                status           text NOT NULL CHECK (status IN ('requested', 'created', 'refused')),
                created_at       timestamptz NOT NULL,
                updated_at       timestamptz NOT NULL,
                FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
            );
            -- A second request while the outcome of the first is unknown could create a second account.
            CREATE UNIQUE INDEX IF NOT EXISTS account_creations_requested ON account_creations (merchant_id)
                WHERE status = 'requested';
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock processor_accounts in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL add_connected_accounts();
DROP PROCEDURE add_connected_accounts();
