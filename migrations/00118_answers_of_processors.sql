-- +goose NO TRANSACTION
-- +goose Up
-- Keep more of a processor's answer with the operation: its own id, which follow-up calls send, its own decline code, and the issuer's
-- authorization code. The migration waits at most 200 ms for the lock, then lets running servers proceed and tries again.
-- operation_end stays for servers of the previous version, and can be dropped two releases after this one.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE keep_answers_of_processors() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE processor_operations ADD COLUMN IF NOT EXISTS external_id text, ADD COLUMN IF NOT EXISTS raw_code text,
                ADD COLUMN IF NOT EXISTS authorization_code text;
            IF to_regtype('operation_outcome') IS NULL THEN
                CREATE TYPE operation_outcome AS (
                    id uuid, state text, external_id text, raw_code text, authorization_code text, now timestamptz, next timestamptz
                );
            END IF;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock processor_operations in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL keep_answers_of_processors();
DROP PROCEDURE keep_answers_of_processors();
