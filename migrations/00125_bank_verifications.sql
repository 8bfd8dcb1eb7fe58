-- +goose NO TRANSACTION
-- +goose Up
-- Verification of payers' bank accounts by two deposits that the processor of their merchant sends. There is one row for a token, written with
-- it: our reference is known before the processor is asked. Tokens of before have none; servers of the previous version write none, and
-- compare the digest that each token that awaits verification still has. A reference to a table needs its lock: the migration waits at most
-- 200 ms for it, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_bank_verifications() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            CREATE TABLE IF NOT EXISTS bank_verifications (
                token_id          uuid PRIMARY KEY,
                application_id    bigint NOT NULL,
                merchant_id       bigint NOT NULL,
                reference         text NOT NULL,
                processor         text NOT NULL,
                processor_account text NOT NULL,
                external_id       text,        -- the processor's id of it
                status            text NOT NULL CHECK (status IN ('requested', 'sent', 'verified', 'failed')),
                next_try_at       timestamptz, -- when the processor is asked, by the machine's time; NULL: no longer
                created_at        timestamptz NOT NULL,
                UNIQUE (processor, reference),
                FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id),
                CHECK ((next_try_at IS NOT NULL) = (status = 'requested'))
            );
            CREATE INDEX IF NOT EXISTS bank_verifications_due ON bank_verifications (next_try_at) WHERE next_try_at IS NOT NULL;
            -- Verifications at the sandbox's processor. They belong to the counterparty: nothing of the service joins them. Their deposits
            -- come back by the account's time.
            CREATE TABLE IF NOT EXISTS sandbox_processor_verifications (
                processor          text NOT NULL,
                reference          text NOT NULL,
                account            text NOT NULL,
                answer             jsonb NOT NULL,
                tries              integer NOT NULL DEFAULT 0,
                verified           boolean NOT NULL DEFAULT false,
                deposits_return_at timestamptz,
                created_at         timestamptz NOT NULL,
                PRIMARY KEY (processor, reference)
            );
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the tokens in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL add_bank_verifications();
DROP PROCEDURE add_bank_verifications();
