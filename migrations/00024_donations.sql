-- +goose Up
-- Donations from donor-advised funds. An integrated one is granted by a provider and carries fees that are
-- fixed when it is made; of one that is not integrated only the donor's intent is known.
CREATE TABLE daf_donations (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    version integer NOT NULL DEFAULT 1,
    kind text NOT NULL CHECK (kind IN ('integrated', 'nonintegrated')),
    status text NOT NULL,
    amount bigint NOT NULL CHECK (amount BETWEEN 100 AND 99999900 AND amount % 100 = 0), -- grants are whole dollars
    currency text NOT NULL CHECK (currency = 'usd'),
    tracking_id text CHECK (length(tracking_id) = 10),
    workflow_session_id text UNIQUE,
    grant_id text UNIQUE,
    provider_name text,
    provider_reference text,
    -- The provider's last event that was taken in: what is older changes nothing any more.
    provider_event_at timestamptz,
    provider_event_id text,
    fund_id text NOT NULL,
    fund_name text NOT NULL,
    fees jsonb NOT NULL,
    fee_total bigint NOT NULL CHECK (fee_total >= 0),
    donor jsonb NOT NULL,
    anonymous boolean NOT NULL,
    external_grant_id text CHECK (length(external_grant_id) BETWEEN 1 AND 64),
    external_id text CHECK (length(external_id) BETWEEN 1 AND 64),
    note text CHECK (length(note) BETWEEN 1 AND 500),
    metadata jsonb NOT NULL,
    failure jsonb,
    body_hash bytea NOT NULL CHECK (length(body_hash) = 32), -- of the request, to know it again
    request_id uuid,
    created_at timestamptz NOT NULL,
    completed_at timestamptz,
    canceled_at timestamptz,
    updated_at timestamptz NOT NULL,
    words tsvector NOT NULL GENERATED ALWAYS AS (search_words(
        coalesce(donor->>'firstName', '') || ' ' || coalesce(donor->>'lastName', '') || ' ' || coalesce(donor->>'email', '') || ' '
        || coalesce(donor->>'note', '') || ' ' || fund_name || ' ' || coalesce(tracking_id, '') || ' ' || coalesce(external_grant_id, '')
        || ' ' || coalesce(external_id, '') || ' ' || coalesce(note, ''))) STORED,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (application_id, external_id),
    UNIQUE (provider_name, provider_reference),
    UNIQUE (provider_name, tracking_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CONSTRAINT daf_donations_status CHECK (CASE kind
        WHEN 'integrated' THEN status IN ('initiated', 'canceled', 'completed')
        ELSE status IN ('unknown', 'initiated', 'canceled', 'completed') END),
    CONSTRAINT daf_donations_kind CHECK (CASE kind
        WHEN 'integrated' THEN workflow_session_id IS NOT NULL AND grant_id IS NULL
            AND provider_name IS NOT NULL AND provider_reference IS NOT NULL
        ELSE workflow_session_id IS NULL AND grant_id IS NOT NULL
            AND num_nonnulls(provider_name, provider_reference, provider_event_at, provider_event_id, tracking_id, failure) = 0
            AND fees = '[]' AND fee_total = 0 END),
    CHECK ((provider_event_at IS NULL) = (provider_event_id IS NULL)),
    CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL)),
    CHECK (failure IS NULL OR status = 'canceled' AND tracking_id IS NULL),
    CHECK (kind = 'nonintegrated' OR status <> 'completed' OR tracking_id IS NOT NULL)
);
CREATE INDEX daf_donations_by_merchant ON daf_donations (application_id, merchant_id, id DESC);
CREATE INDEX daf_donations_by_status ON daf_donations (application_id, status, id DESC);
CREATE INDEX daf_donations_by_amount ON daf_donations (application_id, amount, id);
CREATE INDEX daf_donations_by_email ON daf_donations (application_id, lower(donor->>'email'), id) WHERE donor->>'email' <> '';
CREATE INDEX daf_donations_by_words ON daf_donations USING gin (words);
CREATE INDEX daf_donations_by_metadata ON daf_donations USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';

-- Who gave a donation which status: one row for its creation and one for each change, by the version that
-- the change made.
CREATE TABLE daf_donation_statuses (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    donation_id uuid NOT NULL,
    version integer NOT NULL CHECK (version > 0),
    status text NOT NULL CHECK (status IN ('unknown', 'initiated', 'canceled', 'completed')),
    source text NOT NULL CHECK (source IN ('api', 'portal', 'provider')),
    key_name text,
    user_name text,
    note text,
    request_id uuid,
    at timestamptz NOT NULL,
    PRIMARY KEY (application_id, donation_id, version),
    FOREIGN KEY (application_id, merchant_id, donation_id) REFERENCES daf_donations (application_id, merchant_id, id),
    CHECK (source = 'portal' OR user_name IS NULL),
    CHECK (source = 'api' OR key_name IS NULL)
);
