-- +goose Up
-- The account of the deployment at its provider of donor-advised funds. The credentials are sealed for the name of the
-- adapter. needs are the codes of what the provider's last test found missing.
CREATE TABLE daf_provider_connections (
    provider           text PRIMARY KEY,
    version            integer NOT NULL DEFAULT 1,
    credentials        bytea NOT NULL,
    credentials_last4  text,
    credentials_set_at timestamptz NOT NULL,
    needs              text[] NOT NULL DEFAULT '{}',
    tested_at          timestamptz NOT NULL,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL
);
