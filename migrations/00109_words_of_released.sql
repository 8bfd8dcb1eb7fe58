-- +goose NO TRANSACTION
-- +goose Up
-- While words were made of columns (until 00080), a charge lost its external_id among them when it released it (from 00075 on): these words are
-- made again, a batch a transaction. A run that is interrupted starts again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE find_released() LANGUAGE plpgsql AS $$
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
            UPDATE charges SET words = unfolded_words(charges)
            WHERE application_id = application AND id = ANY (batch) AND released_external_id IS NOT NULL AND words_version = 0
                AND words <> unfolded_words(charges);
            COMMIT;
        END LOOP;
    END LOOP;
END $$;
-- +goose StatementEnd
CALL find_released();
DROP PROCEDURE find_released();
