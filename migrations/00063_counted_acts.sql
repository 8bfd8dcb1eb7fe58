-- +goose Up
-- When something that may happen a few times within a while happened last, the newest first: a mail about the same, a wrong answer about
-- a bank account. The key is what it happened to, by its digest where people could be known by it. After ends_at a row says nothing more.
CREATE TABLE counted_acts (
    application_id bigint NOT NULL,
    what text NOT NULL,
    key bytea NOT NULL,
    times timestamptz[] NOT NULL DEFAULT '{}',
    ends_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, what, key)
);
CREATE INDEX counted_acts_by_end ON counted_acts (ends_at);
