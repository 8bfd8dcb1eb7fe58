-- +goose Up
-- Merchants that were taken in by a provider of donor-advised funds, or asked for it: one row for each
-- attempt, written before the provider is called, under the reference that it is called with. A row whose
-- next_check_at has come is asked for again: the provider answers the same organization the same.
--
-- At most one attempt of a merchant is under way or successful, and at most one of an application's with
-- an EIN. A merchant that has left is enrolled again by its organization alone.
CREATE TABLE daf_enrollments (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    ein text NOT NULL CHECK (ein ~ '^[0-9]{2}-[0-9]{7}$'),
    name text NOT NULL CHECK (length(name) > 0), -- of the organization, as the provider's directory had it
    provider text NOT NULL,
    state text NOT NULL CHECK (state IN ('processing', 'enrolled', 'refused', 'withdrawn', 'left')),
    refusal text, -- why it was refused
    request_id uuid, -- of the person's request; null for the command
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    left_at timestamptz,
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK ((state = 'refused') = (refusal IS NOT NULL)),
    CHECK ((state = 'processing') = (next_check_at IS NOT NULL)),
    CHECK ((state = 'processing') = (finished_at IS NULL)),
    CHECK ((state = 'left') = (left_at IS NOT NULL))
);
CREATE INDEX daf_enrollments_by_merchant ON daf_enrollments (application_id, merchant_id, id DESC);
CREATE UNIQUE INDEX daf_enrollments_one_merchant ON daf_enrollments (application_id, merchant_id)
    WHERE state IN ('processing', 'enrolled');
CREATE UNIQUE INDEX daf_enrollments_one_ein ON daf_enrollments (application_id, ein)
    WHERE state IN ('processing', 'enrolled');
CREATE INDEX daf_enrollments_due ON daf_enrollments (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX merchants_by_ein ON merchants (application_id, ein) WHERE ein IS NOT NULL;
