-- +goose NO TRANSACTION
-- +goose Up
-- Whether a public key works on the domains of the merchant that is paid, too. Running servers don't know of it and
-- allow the key's origins only. The migration waits at most 200 ms for the lock, then lets running servers proceed and
-- tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE allow_merchant_domains() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS merchant_domains boolean NOT NULL DEFAULT false;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the keys in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL allow_merchant_domains();
DROP PROCEDURE allow_merchant_domains();
