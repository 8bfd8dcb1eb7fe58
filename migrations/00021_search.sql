-- +goose Up
-- The words of a text as searches have them: runs of letters and digits, in lowercase and without accents,
-- whatever the database's locale is. The program has the same table of letters, in package search.
-- Each word begins with an x, or the parser of PostgreSQL would take some for numbers: 1e5a for 1e5 and a.
-- It is in PL/pgSQL because a server plans a column's expression, with what SQL functions have in them, anew for
-- every statement that writes there: an eighth of a millisecond each.
-- +goose StatementBegin
CREATE FUNCTION search_words(t text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN to_tsvector('pg_catalog.simple', left(regexp_replace(' ' || CASE WHEN octet_length(t) = length(t) THEN t ELSE translate(t,
        'ÀÁÂÃÄÅàáâãäåĀāĂăĄąÇçĆćČčĎďĐđÈÉÊËèéêëĒēĘęĚěĞğÌÍÎÏìíîïĪīİıŁłÑñŃńŇňÒÓÔÕÖØòóôõöøŌōŐőŘřŚśŞşŠšȘșŤťȚțÙÚÛÜùúûüŪūŮůŰűÝýÿŸŹźŻżŽž' || U&'\00a0' || '«»‘’“”–—…',
        'aaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeeggiiiiiiiiiiiillnnnnnnoooooooooooooooorrssssssssttttuuuuuuuuuuuuuuyyyyzzzzzz          ') END || ' ',
        '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' x', 'g'), -2));
END $$;
-- +goose StatementEnd

-- The words that a charge, or a payment method, is found by: the text of a column's expression is read for every statement
-- that writes there, too, and is short where a function has it. One more, which no text has, is the age of its id, the first four digits,
-- which change every fifty days: an index of words knows no order, and finds the newest of many by it.
-- +goose StatementBegin
CREATE FUNCTION payment_words(id uuid, billing jsonb, description text, external_id text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN search_words(concat_ws(' ', billing->>'first_name', billing->>'middle_name', billing->>'last_name', billing->>'email',
        description, external_id)) || array_to_tsvector(ARRAY['t' || left(id::text, 4)]);
END $$;
-- +goose StatementEnd

ALTER TABLE charges ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (payment_words(id, billing, description, external_id)) STORED;
ALTER TABLE tokens ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (payment_words(id, billing, NULL, NULL)) STORED;
ALTER TABLE refunds ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
    coalesce(note, '') || ' ' || coalesce(external_id, ''))) STORED;
ALTER TABLE merchants ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
    name || ' ' || statement_descriptor || ' ' || coalesce(external_id, ''))) STORED;
CREATE INDEX charges_by_words ON charges USING gin (words);
CREATE INDEX tokens_by_words ON tokens USING gin (words);
CREATE INDEX refunds_by_words ON refunds USING gin (words);
