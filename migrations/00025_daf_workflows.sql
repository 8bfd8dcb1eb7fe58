-- +goose Up
-- A donor's way through the DAF modal, known by the SHA-256 of its secret, begun in one session of a
-- payer's browser. What the donor typed is for the pages of the modal and for the fund. The id that is
-- issued when the donor authorizes becomes one donation of this merchant and no other.
-- Every time here is the machine's. Until the donor authorizes, expires_at is the end of the way; then it is
-- the last moment at which the id can become a donation.
CREATE TABLE daf_workflows (
    secret_hash bytea PRIMARY KEY CHECK (length(secret_hash) = 32),
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    key_id uuid NOT NULL REFERENCES api_keys (id),
    session_hash bytea NOT NULL CHECK (length(session_hash) = 32),
    page_origin text NOT NULL,
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'authorized', 'canceled')),
    amount bigint CHECK (amount BETWEEN 100 AND 99999900 AND amount % 100 = 0),
    donor jsonb NOT NULL,
    scheme text NOT NULL DEFAULT 'system' CHECK (scheme IN ('light', 'dark', 'system')), -- of the page's colors
    kind text CHECK (kind IN ('integrated', 'nonintegrated')),
    fund_id text,
    fund_name text,
    visit_reference uuid UNIQUE,
    visit_id text,
    visit_address text,
    workflow_session_id text UNIQUE,
    grant_id text UNIQUE,
    authorized_amount bigint CHECK (authorized_amount BETWEEN 100 AND 99999900 AND authorized_amount % 100 = 0),
    authorized_at timestamptz,
    donation_id uuid UNIQUE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK ((fund_id IS NULL) = (kind IS NULL) AND (fund_name IS NULL) = (kind IS NULL)),
    CHECK ((visit_reference IS NULL) = (visit_id IS NULL) AND (visit_address IS NULL) = (visit_id IS NULL)),
    CHECK (visit_id IS NULL OR kind = 'integrated'),
    CHECK (CASE WHEN state = 'authorized'
        THEN num_nulls(authorized_amount, authorized_at, kind) = 0
            AND (workflow_session_id IS NOT NULL) = (kind = 'integrated')
            AND (grant_id IS NOT NULL) = (kind = 'nonintegrated')
            AND (visit_id IS NOT NULL) = (kind = 'integrated')
        ELSE num_nonnulls(authorized_amount, authorized_at, workflow_session_id, grant_id, donation_id) = 0 END)
);
CREATE INDEX daf_workflows_by_expiry ON daf_workflows (expires_at) WHERE donation_id IS NULL;
