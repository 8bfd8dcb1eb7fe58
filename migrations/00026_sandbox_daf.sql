-- +goose Up
-- The sandbox's provider of donor-advised funds. It belongs to the counterparty: nothing of the service joins it.
-- Whom it has taken in, by employer identification number.
CREATE TABLE sandbox_daf_enrollments (
    connect_id text PRIMARY KEY,
    ein text NOT NULL UNIQUE,
    name text NOT NULL,
    reference text NOT NULL,
    created_at timestamptz NOT NULL
);

-- A donor at the pages of a fund. Whoever has the id may go on with the visit. Times are the machine's.
CREATE TABLE sandbox_daf_visits (
    id text PRIMARY KEY,
    reference text NOT NULL UNIQUE,
    account text NOT NULL,
    connect_id text NOT NULL REFERENCES sandbox_daf_enrollments (connect_id),
    fund_id text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0 AND amount % 100 = 0), -- of the visit, then what was authorized
    donor jsonb NOT NULL,
    return_address text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'authorized', 'canceled', 'failed')),
    step text NOT NULL CHECK (step IN ('sign_in', 'code', 'account', 'review', 'over')),
    username text NOT NULL DEFAULT '',
    fund_account text NOT NULL DEFAULT '',
    tries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    CHECK ((step = 'over') = (state <> 'open')),
    CHECK (step IN ('sign_in', 'over') OR username <> ''),
    CHECK (state <> 'authorized' OR fund_account <> '')
);

-- Every grant that was submitted, one row a reference. visible_at and created_at are the machine's time,
-- account_at is the account's.
CREATE TABLE sandbox_daf_grants (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reference text NOT NULL UNIQUE,
    visit_id text NOT NULL,
    account text NOT NULL,
    connect_id text NOT NULL,
    amount bigint NOT NULL,
    tracking_id text UNIQUE CHECK (length(tracking_id) = 10),
    answer jsonb NOT NULL,
    state text NOT NULL DEFAULT '' CHECK (state IN ('', 'grant_completed', 'grant_canceled')),
    visible_at timestamptz NOT NULL,
    account_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX sandbox_daf_grants_once ON sandbox_daf_grants (visit_id) WHERE tracking_id IS NOT NULL;

-- What will happen to a grant, by the clock of its account.
CREATE TABLE sandbox_daf_schedule (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('grant_completed', 'grant_canceled')),
    reference text NOT NULL UNIQUE
);
CREATE INDEX sandbox_daf_schedule_due ON sandbox_daf_schedule (account, due_at);

-- What happened. Ids become visible in their order, because whoever writes here holds the only row of
-- sandbox_daf_state until the commit. Notices of a row are sent until one is taken, or that many times.
CREATE TABLE sandbox_daf_feed (
    id bigint PRIMARY KEY,
    account text NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    reference text NOT NULL,
    tracking_id text NOT NULL,
    notices integer NOT NULL DEFAULT 0,
    notify_at timestamptz -- NULL: no more
);
CREATE INDEX sandbox_daf_feed_to_notify ON sandbox_daf_feed (notify_at) WHERE notify_at IS NOT NULL;

-- The feed's last number, and the key with which notices are signed.
CREATE TABLE sandbox_daf_state (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    last bigint NOT NULL DEFAULT 0,
    signing_key bytea CHECK (length(signing_key) = 32)
);
INSERT INTO sandbox_daf_state DEFAULT VALUES;
