-- +goose NO TRANSACTION
-- +goose Up
-- What a processor answers beside its verdict is kept with the operation: its own id of what was made, which later calls hand back; its own
-- code of a decline; the issuer's authorization code. Running servers use the table: the lock gives way to them and is tried again.
-- operation_end is for servers of the version before, and can be dropped two releases after this one.
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
        RAISE EXCEPTION 'no turn among the servers that use processor_operations';
    END IF;
END $$;
-- +goose StatementEnd
CALL keep_answers_of_processors();
DROP PROCEDURE keep_answers_of_processors();
