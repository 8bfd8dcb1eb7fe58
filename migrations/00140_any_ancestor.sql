-- +goose NO TRANSACTION
-- +goose Up
-- Whether pages of any site may embed the pages on which a public key is used. Running servers don't know of it and let
-- pages of the key's origins embed them only. The migration waits at most 200 ms for the lock, then lets running servers
-- proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE embed_api_keys() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE api_keys ADD COLUMN IF NOT EXISTS any_ancestor boolean NOT NULL DEFAULT false;
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
CALL embed_api_keys();
DROP PROCEDURE embed_api_keys();
