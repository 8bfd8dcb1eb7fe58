-- What one captured charge durably leaves, written the cheapest way that PostgreSQL knows: one function, one
-- transaction, one commit. The tables are the product's as they were when this was written, with every index and
-- constraint. It is frozen: it does not follow the product.

CREATE TABLE applications (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    api_version text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE TABLE organizations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    created_at timestamptz NOT NULL,
    UNIQUE (application_id, id)
);
CREATE TABLE merchants (
    id bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
    application_id bigint NOT NULL,
    organization_id bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    status text NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
    status_reason text CHECK (length(status_reason) BETWEEN 1 AND 255),
    country text NOT NULL CHECK (country IN ('US', 'CA')),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    ein text CHECK (ein ~ '^[0-9]{2}-[0-9]{7}$'),
    nonprofit boolean NOT NULL DEFAULT false,
    bank_processor text NOT NULL CHECK (bank_processor IN ('p', 'q')),
    time_zone text NOT NULL,
    payout_schedule text NOT NULL CHECK (payout_schedule IN ('daily', 'weekly', 'monthly')),
    payout_weekday smallint CHECK (payout_weekday BETWEEN 1 AND 5),
    payout_day_of_month smallint CHECK (payout_day_of_month BETWEEN 1 AND 31),
    payouts_paused_reason text CHECK (payouts_paused_reason IN ('payout_failed', 'payout_returned')),
    next_payout_at timestamptz NOT NULL,
    payout_floor uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    has_wallet_a boolean NOT NULL DEFAULT false,
    has_daf_provider boolean NOT NULL DEFAULT false,
    daf_provider_connect_id text CHECK (length(daf_provider_connect_id) BETWEEN 1 AND 255),
    domains text[] NOT NULL DEFAULT '{}' CHECK (cardinality(domains) <= 99),
    statement_descriptor text NOT NULL CHECK (statement_descriptor ~ '^[A-Za-z0-9][A-Za-z0-9 .,&''/#-]{0,21}$'),
    external_id text CHECK (length(external_id) BETWEEN 1 AND 64),
    metadata jsonb NOT NULL DEFAULT '{}',
    version integer NOT NULL DEFAULT 1 CHECK (version > 0),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, id),
    UNIQUE (application_id, external_id),
    FOREIGN KEY (application_id, organization_id) REFERENCES organizations (application_id, id),
    CHECK ((country = 'US') = (currency = 'usd')),
    CHECK (ein IS NULL OR country = 'US'),
    CHECK (NOT has_daf_provider OR (country = 'US' AND nonprofit)),
    CHECK (daf_provider_connect_id IS NULL OR ein IS NOT NULL),
    CHECK ((payout_schedule = 'weekly') = (payout_weekday IS NOT NULL)),
    CHECK ((payout_schedule = 'monthly') = (payout_day_of_month IS NOT NULL))
);
CREATE INDEX merchants_by_next_payout ON merchants (next_payout_at);
CREATE INDEX merchants_by_ein ON merchants (application_id, ein) WHERE ein IS NOT NULL;
CREATE TABLE tokens (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('card', 'wallet_a', 'wallet_b', 'bank_us', 'bank_ca')),
    status text NOT NULL CHECK (status IN ('pending_verification', 'active', 'disabled', 'expired', 'deleted')),
    last4 text NOT NULL CHECK (length(last4) BETWEEN 1 AND 4),
    brand text,
    bin text CHECK (length(bin) = 6),
    exp_month smallint CHECK (exp_month BETWEEN 1 AND 12),
    exp_year smallint,
    funding text CHECK (funding IN ('credit', 'debit', 'prepaid', 'unknown')),
    country text,
    routing text CHECK (routing ~ '^[0-9]{8,9}$'), -- nine digits of an ABA number; Canada: transit and institution
    bank_name text,
    account_type text CHECK (account_type IN ('checking', 'savings')),
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    entry_mode text NOT NULL CHECK (entry_mode IN ('keyed', 'swiped', 'wallet', 'payout_account')),
    billing jsonb NOT NULL,
    network_transaction_id text,
    disabled_reason text,
    deposits bytea CHECK (length(deposits) = 32), -- keyed digest of the two amounts that prove a bank account
    verification_tries smallint NOT NULL DEFAULT 0 CHECK (verification_tries BETWEEN 0 AND 10),
    last_used_at timestamptz,
    expires_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK (CASE WHEN kind IN ('bank_us', 'bank_ca')
        THEN num_nonnulls(brand, bin, exp_month, exp_year, funding, country) = 0
            AND num_nulls(routing, bank_name, account_type) = 0
        ELSE num_nulls(brand, bin, exp_month, exp_year, funding, country) = 0
            AND num_nonnulls(routing, bank_name, account_type) = 0 END),
    CHECK (length(routing) = CASE kind WHEN 'bank_us' THEN 9 ELSE 8 END),
    CHECK (kind IN ('bank_us', 'bank_ca') OR status <> 'pending_verification'),
    CHECK (status <> 'pending_verification' OR deposits IS NOT NULL),
    CHECK (status <> 'disabled' OR disabled_reason IS NOT NULL),
    CHECK (status NOT IN ('pending_verification', 'active') OR disabled_reason IS NULL)
);
CREATE INDEX tokens_by_merchant ON tokens (application_id, merchant_id, id);
CREATE INDEX tokens_by_application ON tokens (application_id, id);
CREATE INDEX tokens_by_last4 ON tokens (application_id, last4, id);
CREATE INDEX tokens_by_email ON tokens (application_id, lower(billing->>'email'), id)
    WHERE billing->>'email' IS NOT NULL;
CREATE INDEX tokens_by_expiry ON tokens (expires_at)
    WHERE status IN ('pending_verification', 'active', 'disabled') AND entry_mode <> 'payout_account';
CREATE TABLE idempotency_keys (
    application_id bigint NOT NULL REFERENCES applications (id),
    key text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    param_hashes jsonb NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'accepted', 'done')),
    object_id uuid,
    result bytea,
    refusal bytea,
    request_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, key),
    CHECK ((state = 'done') = (result IS NOT NULL OR refusal IS NOT NULL)),
    CHECK (result IS NULL OR refusal IS NULL)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
CREATE TABLE ledger_entries (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    business_key text NOT NULL,
    kind text NOT NULL,
    debit text NOT NULL,
    credit text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    source_id uuid NOT NULL CHECK (source_id <> '00000000-0000-0000-0000-000000000000'),
    charge_id uuid,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, business_key),
    -- Between which accounts each kind moves money: ledger.Rules in Go, docs/ledger.md in words. The
    -- last pair of a kind that touches merchant_pending is its release.
    CONSTRAINT ledger_entries_kind CHECK (CASE
        WHEN kind IN ('capture', 'debit') THEN (debit, credit) IN (
            ('processor_receivable', 'merchant_pending'), ('merchant_pending', 'merchant_available'))
        WHEN kind IN ('authorization_fee', 'capture_fee', 'amex_surcharge_percentage', 'ach_transfer_flat_fee',
            'ach_transfer_percentage', 'ach_transfer_failed_fee', 'ach_return_fee', 'chargeback_fee', 'retrieval_fee',
            'platform_flat_fee', 'platform_percentage') THEN (debit, credit) IN (
            ('merchant_pending', 'application_fees'), ('merchant_available', 'application_fees'),
            ('merchant_available', 'merchant_pending'))
        WHEN kind IN ('service_authorization_fee', 'service_capture_fee', 'service_amex_surcharge_percentage',
            'service_ach_transfer_flat_fee', 'service_ach_transfer_percentage', 'service_ach_transfer_failed_fee',
            'service_ach_return_fee', 'service_chargeback_fee', 'service_retrieval_fee', 'service_platform_flat_fee',
            'service_platform_percentage') THEN (debit, credit) = ('application_fees', 'service_fees')
        WHEN kind = 'debit_reversed' THEN (debit, credit) IN (
            ('merchant_pending', 'processor_receivable'), ('merchant_available', 'merchant_pending'))
        WHEN kind = 'return' THEN (debit, credit) = ('merchant_available', 'processor_receivable')
        WHEN kind = 'refund' THEN (debit, credit) IN (
            ('merchant_pending', 'processor_receivable'), ('merchant_available', 'processor_receivable'),
            ('merchant_available', 'merchant_pending'))
        WHEN kind = 'chargeback' THEN (debit, credit) = ('merchant_available', 'merchant_reserved')
        WHEN kind = 'chargeback_won' THEN (debit, credit) IN (
            ('merchant_reserved', 'merchant_available'), ('processor_receivable', 'merchant_available'))
        WHEN kind = 'chargeback_lost' THEN (debit, credit) = ('merchant_reserved', 'processor_receivable')
        WHEN kind = 'payout' THEN (debit, credit) = ('merchant_available', 'merchant_in_transit')
        WHEN kind = 'payout_paid' THEN (debit, credit) = ('merchant_in_transit', 'processor_receivable')
        WHEN kind = 'payout_failed' THEN (debit, credit) = ('merchant_in_transit', 'merchant_available')
        WHEN kind = 'payout_returned' THEN (debit, credit) = ('processor_receivable', 'merchant_available')
        WHEN kind = 'payout_corrected' THEN (debit, credit) IN (
            ('merchant_available', 'processor_receivable'), ('processor_receivable', 'merchant_available'))
        WHEN kind = 'daf_percentage' THEN (debit, credit) = ('daf_invoice', 'daf_service_fees')
        WHEN kind = 'daf_percentage_reversed' THEN (debit, credit) = ('daf_service_fees', 'daf_invoice')
        WHEN kind = 'daf_provider_percentage' THEN (debit, credit) = ('daf_withheld', 'daf_provider_fees')
        WHEN kind = 'daf_provider_percentage_reversed' THEN (debit, credit) = ('daf_provider_fees', 'daf_withheld')
        ELSE false END),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX ledger_entries_by_source ON ledger_entries (application_id, source_id)
    WHERE source_id IS DISTINCT FROM charge_id;
CREATE INDEX ledger_entries_by_charge ON ledger_entries (application_id, charge_id);
CREATE INDEX ledger_entries_by_merchant ON ledger_entries (application_id, merchant_id, id);
CREATE INDEX ledger_entries_by_time ON ledger_entries (application_id, merchant_id, created_at);
CREATE INDEX ledger_entries_available ON ledger_entries (application_id, merchant_id, id)
    INCLUDE (debit, amount, currency, kind, charge_id, created_at)
    WHERE (debit = 'merchant_available' OR credit = 'merchant_available')
        AND kind NOT IN ('payout', 'payout_failed', 'payout_returned');
CREATE TABLE charges (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('processing', 'authorized', 'captured', 'pending', 'settled', 'voided',
        'expired', 'failed', 'returned')),
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 99999999),
    amount_authorized bigint NOT NULL DEFAULT 0,
    amount_captured bigint NOT NULL DEFAULT 0,
    amount_refunded bigint NOT NULL DEFAULT 0,
    amount_refund_pending bigint NOT NULL DEFAULT 0,
    amount_disputed bigint NOT NULL DEFAULT 0,
    amount_contested bigint NOT NULL DEFAULT 0, -- by all disputes together, whatever is left
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    funding_currency text NOT NULL CHECK (funding_currency = currency),
    type text NOT NULL CHECK (type IN ('cc', 'ach', 'acss')),
    origin text NOT NULL CHECK (origin IN ('ecommerce', 'moto', 'terminal')),
    recurring boolean NOT NULL,
    stored_credential text NOT NULL CHECK (stored_credential IN ('none', 'initial', 'recurring', 'unscheduled')),
    capture boolean NOT NULL,
    payment_method jsonb NOT NULL,
    billing jsonb NOT NULL,
    description text CHECK (length(description) <= 255),
    external_id text CHECK (length(external_id) <= 64),
    statement_suffix text CHECK (length(statement_suffix) <= 12),
    metadata jsonb NOT NULL,
    fees jsonb NOT NULL DEFAULT '[]',
    fee_total bigint NOT NULL DEFAULT 0,
    failure jsonb,
    processor_name text NOT NULL,
    processor_reference text NOT NULL,
    network_transaction_id text,
    request_id uuid,
    created_at timestamptz NOT NULL,
    authorized_at timestamptz,
    captured_at timestamptz,
    settled_at timestamptz,
    voided_at timestamptz,
    expired_at timestamptz,
    failed_at timestamptz,
    returned_at timestamptz,
    authorization_expires_at timestamptz,
    available_on date,
    next_step_at timestamptz, -- when the charge expires or settles by itself
    void_reason text CHECK (length(void_reason) <= 255),
    return_code text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (application_id, external_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id),
    CHECK (amount_authorized BETWEEN 0 AND amount),
    CHECK (amount_captured BETWEEN 0 AND amount_authorized),
    CHECK (amount_refunded >= 0 AND amount_refund_pending >= 0),
    CHECK (amount_refunded + amount_refund_pending <= amount_captured),
    CHECK (type = 'cc' OR capture),
    CHECK ((status = 'failed') = (failure IS NOT NULL)),
    CHECK (amount_disputed BETWEEN 0 AND amount_contested AND fee_total >= 0),
    CHECK (amount_refunded + amount_refund_pending + amount_disputed <= amount_captured),
    CHECK (CASE status WHEN 'processing' THEN amount_authorized = 0 WHEN 'failed' THEN true
        ELSE amount_authorized > 0 END),
    CHECK ((status IN ('captured', 'pending', 'settled', 'returned')) = (amount_captured > 0)),
    CHECK ((amount_authorized > 0) = (authorized_at IS NOT NULL)),
    CHECK (amount_captured = 0 OR (captured_at IS NOT NULL AND available_on IS NOT NULL)),
    CHECK (next_step_at IS NULL = (status NOT IN ('authorized', 'captured', 'pending'))),
    CHECK ((status = 'voided') = (voided_at IS NOT NULL)),
    CHECK ((status = 'expired') = (expired_at IS NOT NULL)),
    CHECK ((status IN ('settled', 'returned')) = (settled_at IS NOT NULL)),
    CHECK ((status = 'returned') = (returned_at IS NOT NULL)),
    CHECK (status <> 'returned' OR return_code IS NOT NULL),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL))
);
CREATE INDEX charges_by_status ON charges (application_id, status, id DESC);
CREATE INDEX charges_by_traits ON charges (application_id, type, currency, recurring, id);
CREATE INDEX charges_by_amount ON charges (application_id, amount, id);
CREATE INDEX charges_by_last4 ON charges (application_id, (payment_method->>'last4'), id);
CREATE INDEX charges_by_email ON charges (application_id, lower(billing->>'email'), id)
    WHERE billing->>'email' IS NOT NULL;
CREATE INDEX charges_by_metadata ON charges USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';
CREATE INDEX charges_by_next_step ON charges (next_step_at) WHERE next_step_at IS NOT NULL;
CREATE TABLE events (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint,
    type text NOT NULL,
    object_id uuid NOT NULL,
    position bigint NOT NULL,
    object jsonb NOT NULL,
    previous_attributes jsonb NOT NULL,
    request_id uuid,
    source text NOT NULL CHECK (source IN ('api', 'portal', 'job')),
    test boolean NOT NULL DEFAULT false,
    serial bigint GENERATED ALWAYS AS IDENTITY,
    sequence bigint CHECK (sequence > 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, object_id, position),
    UNIQUE (application_id, sequence),
    FOREIGN KEY (application_id) REFERENCES applications (id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK (NOT test OR sequence IS NULL)
);
CREATE INDEX events_unnumbered ON events (application_id, serial) WHERE sequence IS NULL AND NOT test;
CREATE TABLE processor_operations (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid,
    subject_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('authorize', 'debit', 'capture', 'void', 'refund', 'payout', 'respond',
        'reverse', 'grant')),
    processor text NOT NULL,
    reference text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    state text NOT NULL CHECK (state IN ('open', 'approved', 'declined', 'not_submitted')),
    checks integer NOT NULL DEFAULT 0,
    note text, -- what the outcome's writer needs beside the answer
    idempotency_key text,
    request_id uuid,
    source text NOT NULL CHECK (source IN ('api', 'portal', 'job')), -- who wanted it
    next_check_at timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    UNIQUE (processor, reference),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id),
    CHECK ((charge_id IS NULL) = (kind IN ('payout', 'grant'))),
    CHECK ((state = 'open') = (finished_at IS NULL)),
    CHECK (state <> 'open' OR next_check_at IS NOT NULL),
    CHECK (state IN ('open', 'not_submitted') OR next_check_at IS NULL)
);
CREATE INDEX processor_operations_by_charge ON processor_operations (application_id, charge_id);
CREATE INDEX processor_operations_by_subject ON processor_operations (application_id, subject_id);
CREATE UNIQUE INDEX processor_operations_one_open ON processor_operations (application_id, charge_id)
    WHERE state = 'open' AND kind IN ('authorize', 'debit', 'capture', 'void');
CREATE INDEX processor_operations_due ON processor_operations (next_check_at) WHERE next_check_at IS NOT NULL;
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
CREATE TABLE fee_events (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    source_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('authorized', 'captured', 'bank_settled', 'bank_failed', 'bank_returned',
        'chargeback', 'retrieval')),
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
CREATE FUNCTION search_words(t text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN to_tsvector('pg_catalog.simple', regexp_replace(CASE WHEN octet_length(t) = length(t) THEN t ELSE translate(t,
    'ÀÁÂÃÄÅàáâãäåĀāĂăĄąÇçĆćČčĎďĐđÈÉÊËèéêëĒēĘęĚěĞğÌÍÎÏìíîïĪīİıŁłÑñŃńŇňÒÓÔÕÖØòóôõöøŌōŐőŘřŚśŞşŠšȘșŤťȚțÙÚÛÜùúûüŪūŮůŰűÝýÿŸŹźŻżŽž' || U&'\00a0' || '«»‘’“”–—…',
    'aaaaaaaaaaaaaaaaaaccccccddddeeeeeeeeeeeeeeeggiiiiiiiiiiiillnnnnnnoooooooooooooooorrssssssssttttuuuuuuuuuuuuuuyyyyzzzzzz          ') END,
    '[\x01-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g'));
ALTER TABLE charges ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
    coalesce(billing->>'first_name', '') || ' ' || coalesce(billing->>'middle_name', '')
    || ' ' || coalesce(billing->>'last_name', '')
    || ' ' || coalesce(billing->>'email', '') || ' ' || coalesce(description, '') || ' ' || coalesce(external_id, '')))
        STORED;
ALTER TABLE tokens ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
    coalesce(billing->>'first_name', '') || ' ' || coalesce(billing->>'middle_name', '')
    || ' ' || coalesce(billing->>'last_name', '')
    || ' ' || coalesce(billing->>'email', ''))) STORED;
ALTER TABLE merchants ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
    name || ' ' || statement_descriptor || ' ' || coalesce(external_id, ''))) STORED;
CREATE INDEX charges_by_words ON charges USING gin (words);
CREATE INDEX tokens_by_words ON tokens USING gin (words);

-- Ids in the order of time, as the product's are.
CREATE SEQUENCE floor_ids CACHE 1000;
CREATE FUNCTION floor_id() RETURNS uuid LANGUAGE sql VOLATILE AS
$$ SELECT ('01980000-0000-7000-8000-' || lpad(to_hex(nextval('floor_ids')), 12, '0'))::uuid $$;

INSERT INTO applications (name, api_version, created_at) VALUES ('Floor', '2026-01-01', now());
INSERT INTO organizations (application_id, name, created_at) VALUES (1, 'Floor', now());
INSERT INTO merchants (application_id, organization_id, name, status, country, currency, bank_processor, time_zone,
    payout_schedule,
    next_payout_at, statement_descriptor, created_at, updated_at)
SELECT 1, 1, 'Merchant ' || i, 'active', 'US', 'usd', 'p', 'America/New_York', 'daily', now(), 'MERCHANT', now(), now()
FROM generate_series(1, 20) i;
INSERT INTO fee_schedules (id, application_id, merchant_id, version, effective_at, authorization_fee, capture_fee,
    amex_surcharge_percentage, ach_transfer_flat_fee, ach_transfer_percentage, ach_transfer_failed_fee, ach_return_fee,
        chargeback_fee,
    retrieval_fee, platform_flat_fee, platform_percentage, daf_percentage, reason, created_by, created_at)
SELECT floor_id(), 1, id, 1, now(), 10, 20, 0.5, 25, 0.8, 400, 500, 1500, 500, 5, 1, 2, 'Floor', '{}', now()
    FROM merchants;
INSERT INTO tokens (id, application_id, merchant_id, kind, status, last4, brand, bin, exp_month, exp_year, funding,
    country, fingerprint,
    entry_mode, billing, expires_at, created_at, updated_at)
SELECT ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid, 1, 1001 + i % 20, 'card', 'active', '4242',
    'visa', '424242', 8, 2040,
    'credit', 'US', sha256('4242'), 'keyed',
    '{"first_name": "Dana", "last_name": "Reed", "address_line1": "12 Elm Street", "address_zip": "97301", "email": "dana@example.org"}',
    now() + interval '3 years', now(), now()
FROM generate_series(1, 400) i;

-- One charge of a token. The document stands for the object as events and the key's outcome hold it.
CREATE FUNCTION floor_charge(p_key text, p_token integer, p_amount bigint, OUT charge uuid) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    t tokens;
    s fee_schedules;
    m merchants;
    request uuid := gen_random_uuid();
    event uuid := floor_id();
    percentage bigint;
    method jsonb :=
        '{"kind": "card", "last4": "4242", "brand": "visa", "bin": "424242", "exp_month": 8, "exp_year": 2040, "funding": "credit", "country": "US", "wallet": null, "checks": {"cvc": "pass", "address_line1": "pass", "address_zip": "pass"}}';
    lines jsonb :=
        '[{"fee": "authorization_fee", "amount": 10, "schedule_id": "fs_01kah0000000000000000000000"}, {"fee": "capture_fee", "amount": 20, "schedule_id": "fs_01kah0000000000000000000000"}, {"fee": "platform_flat_fee", "amount": 5, "schedule_id": "fs_01kah0000000000000000000000"}, {"fee": "platform_percentage", "basis": 1000, "rate": "1", "amount": 10, "schedule_id": "fs_01kah0000000000000000000000"}]';
    document jsonb :=
        '{"object": "charge", "id": "ch_01kah0000000000000000000000", "version": 2, "livemode": false, "application_id": 1, "merchant_id": 1001, "amount": 1000, "amount_authorized": 1000, "amount_captured": 1000, "amount_refunded": 0, "amount_refund_pending": 0, "amount_refundable": 1000, "amount_disputed": 0, "currency": "usd", "funding_currency": "usd", "type": "cc", "origin": "ecommerce", "recurring": false, "stored_credential": "none", "capture": true, "status": "captured", "billing": {"first_name": "Dana", "last_name": "Reed", "address_line1": "12 Elm Street", "address_zip": "97301", "email": "dana@example.org"}, "token": "tok_01kah0000000000000000000000", "payment_method": {"kind": "card", "last4": "4242", "brand": "visa", "bin": "424242", "exp_month": 8, "exp_year": 2040, "funding": "credit", "country": "US"}, "fees": [{"fee": "authorization_fee", "amount": 10, "schedule_id": "fs_01kah0000000000000000000000"}, {"fee": "capture_fee", "amount": 20, "schedule_id": "fs_01kah0000000000000000000000"}], "fee_total": 45, "net": 955, "failure": null, "description": null, "external_id": null, "metadata": {}, "created_at": "2026-01-01T00:00:00Z", "captured_at": "2026-01-01T00:00:00Z"}';
    result bytea := convert_to(document::text, 'UTF8');
BEGIN
    charge := floor_id();
    SELECT * INTO t FROM tokens WHERE id = ('00000000-0000-0000-0000-' || lpad(p_token::text, 12, '0'))::uuid;
    SELECT * INTO m FROM merchants WHERE application_id = t.application_id AND id = t.merchant_id;
    SELECT * INTO s FROM fee_schedules WHERE application_id = m.application_id AND merchant_id = m.id
        AND canceled_at IS NULL
        AND effective_at <= now() ORDER BY effective_at DESC, version DESC LIMIT 1;
    percentage := round(p_amount * s.platform_percentage / 100);
    INSERT INTO idempotency_keys (application_id, key, method, path, fingerprint, param_hashes, state, object_id,
        result, request_id, created_at, expires_at)
    VALUES (1, p_key, 'POST', '/api/charges', sha256(p_key::bytea),
        '{"token": "0123456789abcdef", "amount": "0123456789abcdef", "merchant_id": "0123456789abcdef"}',
        'done', charge, result, request, now(), now() + interval '7 days');
    INSERT INTO charges (id, application_id, merchant_id, token_id, version, status, amount, amount_authorized,
        amount_captured, currency,
        funding_currency, type, origin, recurring, stored_credential, capture, payment_method, billing, metadata, fees,
            fee_total, processor_name,
        processor_reference, network_transaction_id, request_id, created_at, authorized_at, captured_at, available_on,
            next_step_at, updated_at)
    VALUES (charge, 1, m.id, t.id, 2, 'captured', p_amount, p_amount, p_amount, m.currency, m.currency, 'cc',
        'ecommerce', false, 'none', true,
        method, t.billing, '{}', lines, 35 + percentage, 'sandbox', 'ch_' || charge, 'net_' || charge, request, now(),
            now(), now(), current_date + 2, now() + interval '2 days', now());
    INSERT INTO processor_operations (id, application_id, merchant_id, charge_id, subject_id, kind, processor,
        reference, amount, currency,
        state, idempotency_key, request_id, source, created_at, finished_at)
    VALUES (floor_id(), 1, m.id, charge, charge, 'authorize', 'sandbox', 'ch_' || charge, p_amount, m.currency,
        'approved', p_key, request, 'api', now(), now());
    INSERT INTO fee_events (application_id, merchant_id, source_id, kind, base, brand, schedule_id, lines, total,
        service_lines, service_total, occurred_at)
    VALUES (1, m.id, charge, 'authorized', p_amount, 'visa', s.id, lines, 10, '[]', 0, now()),
        (1, m.id, charge, 'captured', p_amount, 'visa', s.id, lines, 25 + percentage, '[]', 0, now());
    INSERT INTO ledger_entries (id, application_id, merchant_id, business_key, kind, debit, credit, amount, currency,
        source_id, charge_id, created_at)
    SELECT floor_id(), 1, m.id, charge || ':' || p.kind, p.kind, p.debit, p.credit, p.amount, m.currency, charge,
        charge, now()
    FROM (VALUES ('capture', 'processor_receivable', 'merchant_pending', p_amount),
        ('authorization_fee', 'merchant_pending', 'application_fees', s.authorization_fee),
        ('capture_fee', 'merchant_pending', 'application_fees', s.capture_fee),
        ('platform_flat_fee', 'merchant_pending', 'application_fees', s.platform_flat_fee),
        ('platform_percentage', 'merchant_pending', 'application_fees', percentage)) p (kind, debit, credit, amount);
    INSERT INTO events (id, application_id, merchant_id, type, object_id, position, object, previous_attributes,
        request_id, source, created_at)
    VALUES (event, 1, m.id, 'charge.created', charge, 1, document, '{}', request, 'api', now()),
        (floor_id(), 1, m.id, 'charge.captured', charge, 2, document,
            '{"status": "processing", "version": 1, "amount_captured": 0}', request, 'api', now());
    UPDATE tokens SET expires_at = now() + interval '18 months', last_used_at = now() WHERE id = t.id;
END $$;
