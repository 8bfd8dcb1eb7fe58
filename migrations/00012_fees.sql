-- +goose Up
-- The fees that an application's new merchants begin with. They are copied to a merchant when it is
-- created, never looked at later. An application without a row has the service's own.
CREATE TABLE fee_defaults (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
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
    version integer NOT NULL CHECK (version > 0),
    updated_at timestamptz NOT NULL
);

-- What a merchant pays per event from effective_at on, until a row that begins later takes over; of
-- two that begin together, the one added last. Rows never change, save that one which has not begun
-- can be canceled. Percentages are exact; null switches an optional fee off.
CREATE TABLE fee_schedules (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    version integer NOT NULL CHECK (version > 0), -- counts the merchant's schedules as they are added
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
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    replaces uuid, -- the canceled schedule that this one stands in for
    created_by jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    canceled_by jsonb,
    canceled_at timestamptz CHECK (canceled_at < effective_at),
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (application_id, merchant_id, version),
    CHECK ((canceled_at IS NULL) = (canceled_by IS NULL)),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, replaces) REFERENCES fee_schedules (application_id, merchant_id, id)
);
CREATE INDEX fee_schedules_in_force ON fee_schedules (application_id, merchant_id, effective_at DESC, version DESC)
    WHERE canceled_at IS NULL;

-- What the application pays the service per event of any of its merchants, by the same rules.
CREATE TABLE service_fee_schedules (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    version integer NOT NULL CHECK (version > 0),
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
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    replaces uuid, -- the canceled schedule that this one stands in for
    created_by jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    canceled_by jsonb,
    canceled_at timestamptz CHECK (canceled_at < effective_at),
    UNIQUE (application_id, id),
    UNIQUE (application_id, version),
    CHECK ((canceled_at IS NULL) = (canceled_by IS NULL)),
    FOREIGN KEY (application_id, replaces) REFERENCES service_fee_schedules (application_id, id)
);
CREATE INDEX service_fee_schedules_in_force ON service_fee_schedules (application_id, effective_at DESC, version DESC)
    WHERE canceled_at IS NULL;

-- Both kinds of series in one: the service's own have merchant 0, which no merchant is.
CREATE VIEW fee_series AS
SELECT application_id, merchant_id, id, version, effective_at,
    authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee, ach_transfer_percentage, ach_transfer_failed_fee,
    ach_return_fee, chargeback_fee, retrieval_fee, platform_flat_fee, platform_percentage, daf_percentage,
    reason, replaces, created_by, created_at, canceled_by, canceled_at
FROM fee_schedules
UNION ALL
SELECT application_id, 0, id, version, effective_at,
    authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee, ach_transfer_percentage, ach_transfer_failed_fee,
    ach_return_fee, chargeback_fee, retrieval_fee, platform_flat_fee, platform_percentage, daf_percentage,
    reason, replaces, created_by, created_at, canceled_by, canceled_at
FROM service_fee_schedules;

-- What each event was charged, and what it was computed from: written once, even when every
-- fee is off, so that another schedule can be tried on the same events. lines and total are the
-- merchant's to the application, the service's beside them are the application's to the service.
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
    service_schedule_id uuid,
    service_lines jsonb NOT NULL,
    service_total bigint NOT NULL CHECK (service_total >= 0),
    occurred_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, source_id, kind),
    CHECK (service_schedule_id IS NOT NULL OR service_total = 0),
    FOREIGN KEY (application_id, merchant_id, schedule_id) REFERENCES fee_schedules (application_id, merchant_id, id),
    FOREIGN KEY (application_id, service_schedule_id) REFERENCES service_fee_schedules (application_id, id)
);
CREATE INDEX fee_events_by_merchant ON fee_events (application_id, merchant_id, occurred_at);
