-- +goose NO TRANSACTION
-- +goose Up
-- The language of the pages of modals; NULL is English, and for a bank account with a French mandate Canadian French,
-- as servers of the previous version go on writing. The migration waits at most 200 ms for a lock, then lets running
-- servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_locale(of regclass) LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            EXECUTE format('ALTER TABLE %s ADD COLUMN IF NOT EXISTS locale text
                CHECK (locale IN (''en'', ''es'', ''fr'', ''fr-CA''))', of);
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock % in 200 attempts; run the migration again', of;
    END IF;
END $$;
-- +goose StatementEnd
CALL add_locale('daf_workflows');
CALL add_locale('bank_links');
DROP PROCEDURE add_locale(regclass);
