-- +goose NO TRANSACTION
-- +goose Up
-- Disputes of before the triggers are added up, a batch a transaction. A run that is interrupted starts again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_up_earlier_disputes() LANGUAGE plpgsql AS $$
DECLARE
    application bigint;
    last uuid;
    batch uuid[];
BEGIN
    FOR application IN SELECT id FROM applications ORDER BY id LOOP
        last := '00000000-0000-0000-0000-000000000000';
        LOOP
            SELECT array_agg(charge_id ORDER BY charge_id) INTO batch FROM (
                SELECT DISTINCT charge_id FROM disputes WHERE application_id = application AND charge_id > last ORDER BY charge_id LIMIT 1000) disputed;
            EXIT WHEN batch IS NULL;
            last := batch[cardinality(batch)];
            PERFORM add_up_disputes(application, charge) FROM unnest(batch) charge;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
CALL add_up_earlier_disputes();
DROP PROCEDURE add_up_earlier_disputes();
