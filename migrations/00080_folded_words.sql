-- +goose Up
-- The words that searches find a row by are made by the program, which folds letters by Unicode (package search), and no longer by
-- search_words, whose table of letters lacks most and has some wrong. The columns and their indexes stay. words_version says what made the
-- words: 0 is search_words, else search.WordsVersion of the program. Texts of ASCII alone come to the same words in versions 0 and 1, so the
-- program makes anew only those of others (fold_words, the index of each table by unfolded rows).
--
-- Servers of before know nothing of this. What they write gets the words that they expect from a trigger, in version 0. The triggers, and
-- with them the functions, go with a version beside which none of these servers can run.
ALTER TABLE charges ALTER COLUMN words DROP EXPRESSION, ADD COLUMN words_version smallint NOT NULL DEFAULT 0;
ALTER TABLE tokens ALTER COLUMN words DROP EXPRESSION, ADD COLUMN words_version smallint NOT NULL DEFAULT 0;
ALTER TABLE refunds ALTER COLUMN words DROP EXPRESSION, ADD COLUMN words_version smallint NOT NULL DEFAULT 0;
ALTER TABLE merchants ALTER COLUMN words DROP EXPRESSION, ADD COLUMN words_version smallint NOT NULL DEFAULT 0;
ALTER TABLE daf_donations ALTER COLUMN words DROP EXPRESSION, ADD COLUMN words_version smallint NOT NULL DEFAULT 0;

CREATE FUNCTION beyond_ascii(t text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN octet_length(t) > length(t);

CREATE FUNCTION unfolded_words(r charges) RETURNS tsvector LANGUAGE sql STABLE
RETURN payment_words(r.id, r.billing, r.description, coalesce(r.external_id, r.released_external_id));
CREATE FUNCTION unfolded_words(r tokens) RETURNS tsvector LANGUAGE sql STABLE
RETURN payment_words(r.id, r.billing, NULL, NULL);
CREATE FUNCTION unfolded_words(r refunds) RETURNS tsvector LANGUAGE sql STABLE
RETURN search_words(concat_ws(' ', r.note, r.external_id));
CREATE FUNCTION unfolded_words(r merchants) RETURNS tsvector LANGUAGE sql STABLE
RETURN search_words(concat_ws(' ', r.name, r.statement_descriptor, r.external_id));
CREATE FUNCTION unfolded_words(r daf_donations) RETURNS tsvector LANGUAGE sql STABLE
RETURN search_words(concat_ws(' ', r.donor->>'firstName', r.donor->>'lastName', r.donor->>'email', r.donor->>'note', r.fund_name,
    r.tracking_id, r.external_grant_id, r.external_id, r.note));

-- +goose StatementBegin
CREATE FUNCTION words_of_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.words := unfolded_words(NEW);
    NEW.words_version := 0;
    RETURN NEW;
END $$;
-- +goose StatementEnd

-- It runs after the update, because a trigger before it would lock every row that is updated once more.
-- +goose StatementBegin
CREATE FUNCTION words_of_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('UPDATE %1$I SET words = unfolded_words(%1$I), words_version = 0 WHERE application_id = $1 AND id = $2', TG_TABLE_NAME)
        USING NEW.application_id, NEW.id;
    RETURN NULL;
END $$;
-- +goose StatementEnd

CREATE TRIGGER charges_unfolded BEFORE INSERT ON charges FOR EACH ROW WHEN (NEW.words IS NULL) EXECUTE FUNCTION words_of_new();
CREATE TRIGGER tokens_unfolded BEFORE INSERT ON tokens FOR EACH ROW WHEN (NEW.words IS NULL) EXECUTE FUNCTION words_of_new();
CREATE TRIGGER refunds_unfolded BEFORE INSERT ON refunds FOR EACH ROW WHEN (NEW.words IS NULL) EXECUTE FUNCTION words_of_new();
CREATE TRIGGER merchants_unfolded BEFORE INSERT ON merchants FOR EACH ROW WHEN (NEW.words IS NULL) EXECUTE FUNCTION words_of_new();
CREATE TRIGGER daf_donations_unfolded BEFORE INSERT ON daf_donations FOR EACH ROW WHEN (NEW.words IS NULL) EXECUTE FUNCTION words_of_new();

-- Words never outlive the texts that they are of: what changes the texts and leaves the words, such as an erasure, has them made, too.
CREATE TRIGGER charges_rewritten AFTER UPDATE OF billing, description ON charges FOR EACH ROW
    WHEN (NEW.words IS NOT DISTINCT FROM OLD.words AND (NEW.billing, NEW.description, NEW.external_id) IS DISTINCT FROM (OLD.billing, OLD.description, OLD.external_id))
    EXECUTE FUNCTION words_of_changed();
CREATE TRIGGER tokens_rewritten AFTER UPDATE OF billing ON tokens FOR EACH ROW
    WHEN (NEW.words IS NOT DISTINCT FROM OLD.words AND NEW.billing IS DISTINCT FROM OLD.billing) EXECUTE FUNCTION words_of_changed();
CREATE TRIGGER refunds_rewritten AFTER UPDATE OF note ON refunds FOR EACH ROW
    WHEN (NEW.words IS NOT DISTINCT FROM OLD.words AND NEW.note IS DISTINCT FROM OLD.note) EXECUTE FUNCTION words_of_changed();
CREATE TRIGGER merchants_rewritten AFTER UPDATE OF name, statement_descriptor, external_id ON merchants FOR EACH ROW
    WHEN (NEW.words IS NOT DISTINCT FROM OLD.words
        AND (NEW.name, NEW.statement_descriptor, NEW.external_id) IS DISTINCT FROM (OLD.name, OLD.statement_descriptor, OLD.external_id))
    EXECUTE FUNCTION words_of_changed();
CREATE TRIGGER daf_donations_rewritten AFTER UPDATE OF donor, tracking_id, external_grant_id, note ON daf_donations FOR EACH ROW
    WHEN (NEW.words IS NOT DISTINCT FROM OLD.words
        AND (NEW.donor, NEW.tracking_id, NEW.external_grant_id, NEW.note) IS DISTINCT FROM (OLD.donor, OLD.tracking_id, OLD.external_grant_id, OLD.note))
    EXECUTE FUNCTION words_of_changed();

-- What new rows are given as, with their words (decision 0018).
CREATE TYPE new_found_charge AS (
    id uuid, application_id bigint, merchant_id bigint, token uuid, status text, amount bigint, currency text,
    funding_currency text, type text, origin text, recurring boolean, stored text, capture boolean, method jsonb,
    billing jsonb, description text, external_id text, suffix text, metadata jsonb, processor text, reference text,
    request_id uuid, words tsvector, words_version smallint, now timestamptz
);
CREATE TYPE new_found_token AS (
    id uuid, application_id bigint, merchant_id bigint, kind text, status text, last4 text, brand text, bin text,
    exp_month smallint, exp_year smallint, funding text, country text, routing text, bank_name text,
    account_type text, fingerprint bytea, deposits bytea, entry_mode text, billing jsonb, until timestamptz,
    words tsvector, words_version smallint, now timestamptz
);
CREATE TYPE new_found_refund AS (
    id uuid, application_id bigint, merchant_id bigint, charge_id uuid, status text, pending_reason text,
    amount bigint, currency text, reason text, note text, external_id text, metadata jsonb, initiated_by jsonb,
    processor text, reference text, request_id uuid, words tsvector, words_version smallint, now timestamptz
);
