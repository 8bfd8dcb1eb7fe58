-- +goose Up
-- What was found when a merchant's domain was last looked at, for the domains of its list that were
-- looked at at all. verified_at is when it was last found in order, though it may have failed since.
CREATE TABLE merchant_domains (
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    domain text NOT NULL CHECK (length(domain) BETWEEN 1 AND 253),
    status text NOT NULL CHECK (status IN ('verified', 'failed')),
    failure_reason text CHECK (length(failure_reason) BETWEEN 1 AND 40),
    checked_at timestamptz NOT NULL,
    verified_at timestamptz CHECK (verified_at <= checked_at),
    PRIMARY KEY (application_id, merchant_id, domain),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK ((status = 'failed') = (failure_reason IS NOT NULL)),
    CHECK (status = 'failed' OR verified_at = checked_at)
);

-- The file by which wallet A's provider knows the deployment's merchants' websites. There is one.
CREATE TABLE wallet_a_domain_file (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    content text NOT NULL CHECK (length(content) BETWEEN 1 AND 16384),
    installed_at timestamptz NOT NULL
);
