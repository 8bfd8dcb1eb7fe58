-- +goose NO TRANSACTION
-- +goose Up
-- Charges that failed before the trigger release their external_id, a batch a transaction, along the index by status. A run that is interrupted is
-- made again from the start and finds the rest.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE release_external_ids() LANGUAGE plpgsql AS $$
DECLARE
    application bigint;
    last uuid;
    batch uuid[];
BEGIN
    FOR application IN SELECT id FROM applications ORDER BY id LOOP
        last := 'ffffffff-ffff-ffff-ffff-ffffffffffff';
        LOOP
            SELECT array_agg(id ORDER BY id) INTO batch FROM (
                SELECT id FROM charges WHERE application_id = application AND status = 'failed' AND id < last ORDER BY id DESC LIMIT 1000) failed;
            EXIT WHEN batch IS NULL;
            last := batch[1];
            UPDATE charges SET external_id = NULL, released_external_id = external_id
            WHERE application_id = application AND id = ANY (batch) AND external_id IS NOT NULL;
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
CALL release_external_ids();
DROP PROCEDURE release_external_ids();
