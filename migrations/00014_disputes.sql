-- +goose Up
-- Files that applications hand in. A row never changes.
CREATE TABLE files (
    id uuid NOT NULL,
    application_id bigint NOT NULL REFERENCES applications (id),
    organization_id bigint, -- whose people handed it in; none of the application itself
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255 AND name !~ '[/\\:[:cntrl:]]'),
    content_type text NOT NULL CHECK (content_type IN ('application/pdf', 'image/png', 'image/jpeg')),
    size integer NOT NULL CHECK (size BETWEEN 1 AND 5242880 AND size = length(content)),
    sha256 text NOT NULL CHECK (sha256 = encode(sha256(content), 'hex')),
    content bytea NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    FOREIGN KEY (application_id, organization_id) REFERENCES organizations (application_id, id)
);
-- What is compressed already is not compressed again.
ALTER TABLE files ALTER COLUMN content SET STORAGE EXTERNAL;

-- What payers' banks hold against charges. began_as is unknown while only the outcome was heard of;
-- disputed is what the charge's amount_disputed has of this dispute; operation_id is an answer that is
-- on its way.
CREATE TABLE disputes (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    kind text NOT NULL CHECK (kind IN ('chargeback', 'retrieval')),
    status text NOT NULL CHECK (status IN ('needs_response', 'under_review', 'won', 'lost', 'accepted', 'closed')),
    began_as text CHECK (began_as IN ('chargeback', 'retrieval')),
    amount bigint NOT NULL CHECK (amount > 0),
    disputed bigint NOT NULL CHECK (disputed BETWEEN 0 AND amount),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    reason text NOT NULL,
    respond_by timestamptz NOT NULL,
    reminded_at timestamptz,
    processor_name text NOT NULL,
    processor_dispute text NOT NULL,
    evidence jsonb NOT NULL DEFAULT '{}',
    evidence_files uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(evidence_files) <= 10),
    evidence_submitted_at timestamptz,
    operation_id uuid REFERENCES processor_operations (id),
    fees jsonb NOT NULL DEFAULT '[]',
    fee_total bigint NOT NULL DEFAULT 0 CHECK (fee_total >= 0),
    escalated_at timestamptz,
    closed_at timestamptz,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (processor_name, processor_dispute),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id),
    CONSTRAINT disputes_states CHECK (CASE kind WHEN 'retrieval' THEN status IN ('needs_response', 'under_review', 'closed')
        ELSE status <> 'closed' END),
    CHECK ((status IN ('won', 'lost', 'accepted', 'closed')) = (closed_at IS NOT NULL)),
    CHECK (status <> 'under_review' OR evidence_submitted_at IS NOT NULL),
    CHECK (escalated_at IS NULL OR kind = 'chargeback'),
    CHECK (disputed = 0 OR (kind = 'chargeback' AND status <> 'won'))
);
CREATE INDEX disputes_by_status ON disputes (application_id, status, id DESC);
CREATE INDEX disputes_by_charge ON disputes (application_id, charge_id);
CREATE INDEX disputes_overdue ON disputes (respond_by) WHERE kind = 'chargeback' AND status = 'needs_response';
