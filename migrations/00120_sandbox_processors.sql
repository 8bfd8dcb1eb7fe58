-- +goose NO TRANSACTION
-- +goose Up
-- Name the sandbox processor that each line, scheduled event and feed event belongs to: a deployment may have several. Servers of the previous
-- version know one only, whose name is the default. The migration waits at most 200 ms for each lock, then lets running servers proceed and
-- tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE name_sandbox_processors() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE sandbox_processor_book ADD COLUMN IF NOT EXISTS processor text NOT NULL DEFAULT 'sandbox';
            ALTER TABLE sandbox_processor_schedule ADD COLUMN IF NOT EXISTS processor text NOT NULL DEFAULT 'sandbox';
            ALTER TABLE sandbox_processor_feed ADD COLUMN IF NOT EXISTS processor text NOT NULL DEFAULT 'sandbox';
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the tables of the sandbox processor in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL name_sandbox_processors();
DROP PROCEDURE name_sandbox_processors();
-- Each processor reads its own lines and events in the order of their numbers, which all processors share.
DROP INDEX CONCURRENTLY IF EXISTS sandbox_processor_book_by_processor;
CREATE INDEX CONCURRENTLY sandbox_processor_book_by_processor ON sandbox_processor_book (processor, id);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_processor_feed_by_processor;
CREATE INDEX CONCURRENTLY sandbox_processor_feed_by_processor ON sandbox_processor_feed (processor, id);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_processor_schedule_by_processor;
CREATE INDEX CONCURRENTLY sandbox_processor_schedule_by_processor ON sandbox_processor_schedule (processor, account, due_at);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_processor_schedule_due;
