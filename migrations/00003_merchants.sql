-- +goose Up
-- An account that is paid. next_payout_at is when the payout job looks at it next, by the application's
-- clock; payouts_paused_reason stops payouts until a person resumes them. Each ledger entry of the
-- merchant with an id up to payout_floor that could be paid out is in an active payout.
--
-- A merchant has one EIN at most; several may have the same, as an organization may have an account for
-- each of its purposes. domains are bare host names in ASCII on which wallet A is shown; what is known
-- of each stands in merchant_domains.
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
    -- In this order, or a table of a few rows, which nothing has looked at, would be searched along all of an application's
    -- merchants for the one of an id: the planner knows no better then, and each row that refers to a merchant asks for it.
    CONSTRAINT merchants_application_id_external_id_key UNIQUE (external_id, application_id),
    FOREIGN KEY (application_id, organization_id) REFERENCES organizations (application_id, id),
    CHECK ((country = 'US') = (currency = 'usd')),
    CHECK (ein IS NULL OR country = 'US'),
    CHECK (NOT has_daf_provider OR (country = 'US' AND nonprofit)),
    CHECK (daf_provider_connect_id IS NULL OR ein IS NOT NULL),
    CHECK ((payout_schedule = 'weekly') = (payout_weekday IS NOT NULL)),
    CHECK ((payout_schedule = 'monthly') = (payout_day_of_month IS NOT NULL))
);
CREATE INDEX merchants_by_next_payout ON merchants (next_payout_at);
