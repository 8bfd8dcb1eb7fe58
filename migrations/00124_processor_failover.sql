-- +goose NO TRANSACTION
-- +goose Up
-- Failover, which is off unless an administrator of the application turns it on: new payments then pass over processor accounts whose
-- processor is down. The migration waits at most 200 ms for the lock, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_processor_failover() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE applications ADD COLUMN IF NOT EXISTS processor_failover boolean NOT NULL DEFAULT false;
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
CALL add_processor_failover();
DROP PROCEDURE add_processor_failover();
