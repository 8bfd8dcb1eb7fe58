-- +goose Up
-- The rules of a merchant for card payments; no row is no rules. Charges that running servers of earlier versions make
-- meanwhile are not held to them.
CREATE TABLE card_rules (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    block_cvc_mismatch boolean NOT NULL DEFAULT false,
    block_postal_code_mismatch boolean NOT NULL DEFAULT false,
    minimum_amount bigint CHECK (minimum_amount BETWEEN 1 AND 99999999), -- minor units of the merchant's currency
    country_list text CHECK (country_list IN ('allow', 'block')),
    countries text[] NOT NULL DEFAULT '{}' CHECK (cardinality(countries) <= 250),
    card_charges smallint CHECK (card_charges BETWEEN 1 AND 1000),
    card_hours smallint CHECK (card_hours BETWEEN 1 AND 168),
    email_charges smallint CHECK (email_charges BETWEEN 1 AND 1000),
    email_hours smallint CHECK (email_hours BETWEEN 1 AND 168),
    address_charges smallint CHECK (address_charges BETWEEN 1 AND 1000),
    address_hours smallint CHECK (address_hours BETWEEN 1 AND 168),
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, merchant_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK ((country_list IS NULL) = (cardinality(countries) = 0)),
    CHECK (num_nulls(card_charges, card_hours) IN (0, 2)),
    CHECK (num_nulls(email_charges, email_hours) IN (0, 2)),
    CHECK (num_nulls(address_charges, address_hours) IN (0, 2))
);

-- What a merchant always blocks, or accepts whatever the other rules say. value is what charges are compared with: of a
-- card the hexadecimal form of its keyed fingerprint, which label describes for people.
CREATE TABLE card_rule_entries (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    list text NOT NULL CHECK (list IN ('allow', 'block')),
    kind text NOT NULL CHECK (kind IN ('card', 'bin', 'email', 'email_domain', 'postal_code')),
    value text NOT NULL CHECK (length(value) BETWEEN 1 AND 254),
    label text NOT NULL CHECK (length(label) BETWEEN 1 AND 254),
    note text CHECK (length(note) BETWEEN 1 AND 255),
    added_by text NOT NULL CHECK (length(added_by) <= 255),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, kind, value),
    FOREIGN KEY (application_id, merchant_id) REFERENCES card_rules (application_id, merchant_id)
);
CREATE INDEX card_rule_entries_by_merchant ON card_rule_entries (application_id, merchant_id, id);

-- The charges that count for velocity: of each card, email address and billing address, by their SHA-256. Rows older
-- than a week count for nothing, and the merchant's next charges delete them.
CREATE TABLE card_rule_uses (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    what bytea NOT NULL CHECK (length(what) = 32),
    used_at timestamptz NOT NULL,
    charge_id uuid NOT NULL,
    PRIMARY KEY (application_id, merchant_id, what, used_at, charge_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES card_rules (application_id, merchant_id)
);
CREATE INDEX card_rule_uses_by_time ON card_rule_uses (application_id, merchant_id, used_at);
