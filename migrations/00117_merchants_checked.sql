-- +goose NO TRANSACTION
-- +goose Up
-- The tables that every payment writes get the check of merchants_exist() in place of their foreign keys. Running servers use these tables:
-- the locks are taken in the order in which payments take theirs, and what waits for them gives way after a fifth of a second and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE check_merchants_once_a_statement() LANGUAGE plpgsql AS $$
DECLARE
    hot text;
    done boolean;
BEGIN
    FOREACH hot IN ARRAY ARRAY['ledger_entries', 'events', 'processor_operations', 'idempotency_keys', 'request_logs'] LOOP
        FOR attempt IN 1..200 LOOP
            BEGIN
                SET LOCAL lock_timeout = '200ms';
                EXECUTE format('LOCK TABLE merchants, %I, applications IN ACCESS EXCLUSIVE MODE', hot);
                EXECUTE format('ALTER TABLE %1$I DROP CONSTRAINT IF EXISTS %1$s_application_id_fkey,
                    DROP CONSTRAINT IF EXISTS %1$s_application_id_merchant_id_fkey', hot);
                EXECUTE format('CREATE OR REPLACE TRIGGER belongs AFTER INSERT ON %I REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION %I()',
                    hot, CASE WHEN hot IN ('idempotency_keys', 'request_logs') THEN 'applications_exist' ELSE 'merchants_exist' END);
                EXECUTE format('CREATE OR REPLACE TRIGGER keeps_its_merchant BEFORE UPDATE OF %s ON %I FOR EACH STATEMENT EXECUTE FUNCTION merchants_stay()',
                    CASE WHEN hot IN ('idempotency_keys', 'request_logs') THEN 'application_id' ELSE 'application_id, merchant_id' END, hot);
                CREATE OR REPLACE TRIGGER stays BEFORE DELETE OR TRUNCATE ON applications FOR EACH STATEMENT EXECUTE FUNCTION merchants_stay();
                CREATE OR REPLACE TRIGGER stays BEFORE DELETE OR TRUNCATE ON merchants FOR EACH STATEMENT EXECUTE FUNCTION merchants_stay();
                CREATE OR REPLACE TRIGGER keeps_its_id BEFORE UPDATE OF id ON applications FOR EACH STATEMENT EXECUTE FUNCTION merchants_stay();
                CREATE OR REPLACE TRIGGER keeps_its_id BEFORE UPDATE OF id, application_id ON merchants FOR EACH STATEMENT EXECUTE FUNCTION merchants_stay();
                done := true;
            EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
                done := false;
            END;
            COMMIT;
            EXIT WHEN done;
            PERFORM pg_sleep(0.5 + 0.5 * random());
        END LOOP;
        IF NOT done THEN
            RAISE EXCEPTION 'no turn among the servers that use %', hot;
        END IF;
    END LOOP;
END $$;
-- +goose StatementEnd
CALL check_merchants_once_a_statement();
DROP PROCEDURE check_merchants_once_a_statement();
