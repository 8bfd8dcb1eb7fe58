-- +goose Up
-- A version of a charge that is written under a lock on its row. charge_change and charge_moved() are for servers of the version
-- before, and can be dropped two releases after this one.
CREATE TYPE charge_update AS (
    application_id bigint, id uuid, version int, status text, authorized bigint, captured bigint, refunded bigint,
    refund_pending bigint, disputed bigint, contested bigint, method jsonb, fees jsonb, fee_total bigint,
    failure jsonb, return_code text, void_reason text, network_id text, authorized_at timestamptz,
    captured_at timestamptz, settled_at timestamptz, voided_at timestamptz, expired_at timestamptz,
    failed_at timestamptz, returned_at timestamptz, next_step_at timestamptz, authorization_expires_at timestamptz,
    available_on date, updated_at timestamptz
);
