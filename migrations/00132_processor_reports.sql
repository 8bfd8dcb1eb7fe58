-- +goose NO TRANSACTION
-- +goose Up
-- Record what the processor last reported about an account. Every payment reads the table: the migration waits at most
-- 200 ms for the lock, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE keep_processor_reports() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE processor_accounts ADD COLUMN IF NOT EXISTS report jsonb;
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
CALL keep_processor_reports();
DROP PROCEDURE keep_processor_reports();
