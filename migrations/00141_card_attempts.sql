-- +goose Up
-- New tokens of cards that payers typed, for a day: where they came from. How the first charge of each ended is read
-- from the charges. Ids of tokens begin with their time, so they order the rows.
CREATE TABLE card_attempts (
    token_id       uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id    bigint NOT NULL,
    session        bytea NOT NULL, -- SHA-256 of the session's id
    address        bytea, -- keyed digest of the network; NULL if it is not known
    page_origin    text NOT NULL,
    fingerprint    bytea NOT NULL,
    proven         boolean NOT NULL, -- with a proof of work
    known          boolean NOT NULL -- of a card that had paid in the application before, as far as this was looked up
);
CREATE INDEX card_attempts_by_application ON card_attempts (application_id, token_id);
CREATE INDEX card_attempts_by_merchant ON card_attempts (application_id, merchant_id, token_id);
CREATE INDEX card_attempts_by_address ON card_attempts (application_id, address, token_id);
CREATE TYPE new_card_attempt AS (
    token_id       uuid,
    application_id bigint,
    merchant_id    bigint,
    session        bytea,
    address        bytea,
    page_origin    text,
    fingerprint    bytea,
    proven         boolean,
    known          boolean
);

-- The last time that unknown cards were restricted at a merchant, because stolen ones were tested there. ended_at is
-- NULL while it lasts.
CREATE TABLE card_testing (
    application_id bigint NOT NULL,
    merchant_id    bigint NOT NULL,
    began_at       timestamptz NOT NULL,
    ended_at       timestamptz,
    PRIMARY KEY (application_id, merchant_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
