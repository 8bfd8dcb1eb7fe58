-- +goose Up
-- What statements over many rows are given: an array of one of these, which costs a tenth of an array for each column.
-- The program writes them in binary and so knows their members and the order of these; a program of before and one of after
-- may run side by side. So none of these is ever altered: who needs another adds another.

CREATE TYPE new_charge AS (
    id uuid, application_id bigint, merchant_id bigint, token uuid, status text, amount bigint, currency text,
    funding_currency text, type text, origin text, recurring boolean, stored text, capture boolean, method jsonb,
    billing jsonb, description text, external_id text, suffix text, metadata jsonb, processor text, reference text,
    request_id uuid, now timestamptz
);
CREATE TYPE charge_change AS (
    application_id bigint, id uuid, version int, status text, authorized bigint, captured bigint, refunded bigint,
    refund_pending bigint, disputed bigint, contested bigint, method jsonb, fees jsonb, fee_total bigint,
    failure jsonb, return_code text, void_reason text, network_id text, authorized_at timestamptz,
    captured_at timestamptz, settled_at timestamptz, voided_at timestamptz, expired_at timestamptz,
    failed_at timestamptz, returned_at timestamptz, next_step_at timestamptz, authorization_expires_at timestamptz,
    available_on date, updated_at timestamptz, as_of xid, schedule_id uuid, service_schedule_id uuid
);
CREATE TYPE new_operation AS (
    id uuid, application_id bigint, merchant_id bigint, charge_id uuid, subject_id uuid, kind text, processor text,
    reference text, amount bigint, currency text, note text, key text, request_id uuid, source text, next timestamptz,
    now timestamptz
);
CREATE TYPE operation_end AS (
    id uuid, state text, now timestamptz, next timestamptz
);
CREATE TYPE new_fee_event AS (
    application_id bigint, merchant_id bigint, source_id uuid, kind text, base bigint, brand text, schedule_id uuid,
    lines jsonb, total bigint, service_schedule_id uuid, service_lines jsonb, service_total bigint, at timestamptz
);
CREATE TYPE new_vault_key AS (
    token uuid, key bytea, now timestamptz
);
CREATE TYPE new_vault_value AS (
    token uuid, field text, sealed bytea
);
CREATE TYPE new_vault_cvc AS (
    token uuid, field text, sealed bytea, until timestamptz
);
CREATE TYPE token_use AS (
    application_id bigint, merchant_id bigint, id uuid, until timestamptz, network_id text, now timestamptz
);
CREATE TYPE new_token AS (
    id uuid, application_id bigint, merchant_id bigint, kind text, status text, last4 text, brand text, bin text,
    exp_month smallint, exp_year smallint, funding text, country text, routing text, bank_name text,
    account_type text, fingerprint bytea, deposits bytea, entry_mode text, billing jsonb, until timestamptz,
    now timestamptz
);
CREATE TYPE counted_card AS (
    application_id bigint, fingerprint bytea
);
CREATE TYPE new_ledger_entry AS (
    id uuid, application_id bigint, merchant_id bigint, key text, kind text, debit text, credit text, amount bigint,
    currency text, source_id uuid, charge_id uuid, now timestamptz
);
CREATE TYPE new_event AS (
    id uuid, application_id bigint, merchant_id bigint, type text, object_id uuid, position bigint, object json,
    previous json, request_id uuid, source text, test boolean, now timestamptz
);
CREATE TYPE new_key AS (
    application_id bigint, key text, method text, path text, fingerprint bytea, params jsonb, object_id uuid,
    request_id uuid, now timestamptz, until timestamptz
);
CREATE TYPE key_outcome AS (
    application_id bigint, key text, object_id uuid, result bytea, refusal bytea
);
CREATE TYPE new_refund AS (
    id uuid, application_id bigint, merchant_id bigint, charge_id uuid, status text, pending_reason text,
    amount bigint, currency text, reason text, note text, external_id text, metadata jsonb, initiated_by jsonb,
    processor text, reference text, request_id uuid, now timestamptz
);
CREATE TYPE refund_change AS (
    application_id bigint, id uuid, version int, status text, pending_reason text, failure jsonb,
    succeeded_at timestamptz, failed_at timestamptz, canceled_at timestamptz, updated_at timestamptz
);
CREATE TYPE new_request_log AS (
    id uuid, application_id bigint, client_request_id text, key_id uuid, key_name text, method text, path text,
    query text, request_body text, request_bytes int, status int, error_type text, error_code text,
    error_params jsonb, response_body text, idempotency_key text, idempotent_replayed boolean, object_id text,
    merchant_id bigint, ip text, user_agent text, took_ms int, api_version text, created_at timestamptz
);
CREATE TYPE spent_token AS (
    token uuid
);
CREATE TYPE new_delivery AS (
    id uuid, event_id uuid, type text, sequence bigint
);
CREATE TYPE returned_lease AS (
    row tid, id uuid, number int
);
CREATE TYPE ended_delivery AS (
    row tid, id uuid, number int, status text, code int, reason text
);
CREATE TYPE failed_delivery AS (
    row tid, id uuid, number int, due timestamptz, code int, reason text
);
CREATE TYPE new_attempt AS (
    application_id bigint, id uuid, number int, url text, code int, reason text, headers json, said json, body text,
    took int, began timestamptz
);
