-- +goose NO TRANSACTION
-- +goose Up
-- Processor accounts: where the money of a merchant moves, or that of an application's merchants by default. Payments name the account that
-- they were made at, by the counterparty's own id of it; those without one were made by a server of the previous version, at the account
-- that every merchant of a sandbox has. The old row types stay for such servers, and can be
-- dropped two releases after this one. The migration waits at most 200 ms for a lock, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE name_processor_accounts() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
    name text;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms'; -- the references lock applications and merchants
            CREATE TABLE IF NOT EXISTS processor_accounts (
                id               uuid PRIMARY KEY,
                application_id   bigint NOT NULL REFERENCES applications (id),
                merchant_id      bigint,                -- NULL: the application's default
                version          int NOT NULL DEFAULT 1,
                processor        text NOT NULL CHECK (processor ~ '^[a-z][a-z0-9-]{0,30}$'),
                external_account text NOT NULL CHECK (length(external_account) BETWEEN 1 AND 255),
                credentials      bytea,                 -- sealed; NULL: the adapter needs none
                credentials_last4 text CHECK (length(credentials_last4) = 4),
                methods          text[] NOT NULL CHECK (cardinality(methods) > 0 AND methods <@ ARRAY['cc', 'ach', 'acss', 'payout']),
                currencies       text[] NOT NULL CHECK (currencies <@ ARRAY['usd', 'cad']), -- empty: all
                priority         int NOT NULL CHECK (priority BETWEEN 1 AND 100),           -- 1 comes first
                status           text NOT NULL CHECK (status IN ('active', 'disabled')),
                onboarding       text NOT NULL CHECK (onboarding IN ('complete', 'pending', 'restricted')),
                tested_at        timestamptz NOT NULL,
                created_at       timestamptz NOT NULL,
                updated_at       timestamptz NOT NULL,
                FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
                -- One account has one owner: what a counterparty reports of it concerns no one else.
                UNIQUE (processor, external_account)
            );
            CREATE INDEX IF NOT EXISTS processor_accounts_of_owner ON processor_accounts (application_id, merchant_id);
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock merchants in 200 attempts; run the migration again';
    END IF;
    FOREACH name IN ARRAY ARRAY['charges', 'payouts', 'processor_operations'] LOOP
        FOR attempt IN 1..200 LOOP
            BEGIN
                SET LOCAL lock_timeout = '200ms';
                EXECUTE format('ALTER TABLE %I ADD COLUMN IF NOT EXISTS processor_account text', name);
                done := true;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                done := false;
            END;
            COMMIT;
            EXIT WHEN done;
            PERFORM pg_sleep(0.5 + 0.5 * random());
        END LOOP;
        IF NOT done THEN
            RAISE EXCEPTION 'could not lock % in 200 attempts; run the migration again', name;
        END IF;
    END LOOP;
    IF to_regtype('new_routed_charge') IS NULL THEN
        CREATE TYPE new_routed_charge AS (
            id uuid, application_id bigint, merchant_id bigint, token uuid, status text, amount bigint, currency text,
            funding_currency text, type text, origin text, recurring boolean, stored text, capture boolean, method jsonb,
            billing jsonb, description text, external_id text, suffix text, metadata jsonb, processor text, reference text,
            account text, request_id uuid, words tsvector, words_version smallint, now timestamptz
        );
    END IF;
    IF to_regtype('new_routed_operation') IS NULL THEN
        CREATE TYPE new_routed_operation AS (
            id uuid, application_id bigint, merchant_id bigint, charge_id uuid, subject_id uuid, kind text, processor text,
            account text, reference text, amount bigint, currency text, note text, key text, request_id uuid, source text,
            next timestamptz, now timestamptz
        );
    END IF;
END $$;
-- +goose StatementEnd
CALL name_processor_accounts();
DROP PROCEDURE name_processor_accounts();
