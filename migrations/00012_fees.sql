-- +goose Up
-- What a merchant pays per event from effective_at on. A row never changes; a later one replaces it.
-- Percentages are exact; null switches an optional fee off.
CREATE TABLE fee_schedules (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    effective_at timestamptz NOT NULL,
    authorization_fee bigint NOT NULL CHECK (authorization_fee >= 0),
    capture_fee bigint NOT NULL CHECK (capture_fee >= 0),
    amex_surcharge_percentage numeric(6,3) NOT NULL CHECK (amex_surcharge_percentage BETWEEN 0 AND 100),
    ach_transfer_flat_fee bigint NOT NULL CHECK (ach_transfer_flat_fee >= 0),
    ach_transfer_percentage numeric(6,3) NOT NULL CHECK (ach_transfer_percentage BETWEEN 0 AND 100),
    ach_transfer_failed_fee bigint NOT NULL CHECK (ach_transfer_failed_fee >= 0),
    ach_return_fee bigint NOT NULL CHECK (ach_return_fee >= 0),
    chargeback_fee bigint NOT NULL CHECK (chargeback_fee >= 0),
    retrieval_fee bigint NOT NULL CHECK (retrieval_fee >= 0),
    platform_flat_fee bigint CHECK (platform_flat_fee >= 0),
    platform_percentage numeric(6,3) CHECK (platform_percentage BETWEEN 0 AND 100),
    daf_percentage numeric(6,3) NOT NULL CHECK (daf_percentage BETWEEN 0 AND 100),
    created_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX fee_schedules_in_force ON fee_schedules (application_id, merchant_id, effective_at DESC);

-- What each event was charged, and what it was computed from: written once, even when every
-- fee is off, so that another schedule can be tried on the same events.
CREATE TABLE fee_events (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    source_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('authorized', 'captured', 'bank_settled', 'bank_failed', 'bank_returned', 'chargeback', 'retrieval')),
    base bigint NOT NULL CHECK (base >= 0),
    brand text NOT NULL,
    schedule_id uuid NOT NULL,
    lines jsonb NOT NULL,
    total bigint NOT NULL CHECK (total >= 0),
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, source_id, kind),
    FOREIGN KEY (application_id, merchant_id, schedule_id) REFERENCES fee_schedules (application_id, merchant_id, id)
);
