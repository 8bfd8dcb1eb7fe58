-- +goose Up
-- Who did what, and who was refused. Nothing here changes: each entry's hash is made of that of the
-- entry before in its chain, so that one that was changed, taken away or put in between shows. There is a
-- chain for each application, and the chain 0 for what concerns the whole deployment.
CREATE TABLE audit_chains (
    application_id bigint PRIMARY KEY CHECK (application_id >= 0),
    position bigint NOT NULL CHECK (position > 0),
    hash bytea NOT NULL CHECK (length(hash) = 32)
);

CREATE TABLE audit_entries (
    application_id bigint NOT NULL REFERENCES audit_chains (application_id),
    position bigint NOT NULL CHECK (position > 0),
    id uuid NOT NULL UNIQUE,
    organization_id bigint,
    merchant_id bigint,
    actor_kind text NOT NULL CHECK (actor_kind IN ('person', 'key', 'command')),
    person_id bigint,
    key_id uuid,
    actor_name text NOT NULL,
    role text NOT NULL,
    viewer text NOT NULL,
    domain text NOT NULL,
    permission text NOT NULL,
    subject_kind text NOT NULL,
    subject_id text NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('done', 'denied')),
    -- json, not jsonb: the hash is made of the very text.
    before json NOT NULL,
    after json NOT NULL,
    request_id uuid,
    address inet,
    created_at timestamptz NOT NULL,
    hash bytea NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (application_id, position),
    CHECK ((actor_kind = 'person') = (person_id IS NOT NULL)),
    CHECK (actor_kind = 'key' OR key_id IS NULL)
);
CREATE INDEX audit_entries_by_id ON audit_entries (application_id, id);
CREATE INDEX audit_entries_by_person ON audit_entries (person_id, id) WHERE person_id IS NOT NULL;
CREATE INDEX audit_entries_by_subject ON audit_entries (application_id, subject_id, id);
CREATE INDEX audit_entries_by_organization ON audit_entries (organization_id, id) WHERE organization_id IS NOT NULL;
CREATE INDEX audit_entries_by_merchant ON audit_entries (application_id, merchant_id, id) WHERE merchant_id IS NOT NULL;

-- +goose StatementBegin
CREATE FUNCTION audit_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is immutable' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER audit_entries_guard BEFORE UPDATE OR DELETE ON audit_entries
    FOR EACH ROW EXECUTE FUNCTION audit_is_immutable();
CREATE TRIGGER audit_entries_guard_truncate BEFORE TRUNCATE ON audit_entries
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_immutable();
-- A chain's end moves by one entry at a time, and never back.
CREATE TRIGGER audit_chains_guard BEFORE UPDATE ON audit_chains
    FOR EACH ROW WHEN (NEW.position <> OLD.position + 1 OR NEW.application_id <> OLD.application_id)
    EXECUTE FUNCTION audit_is_immutable();
CREATE TRIGGER audit_chains_guard_delete BEFORE DELETE ON audit_chains
    FOR EACH ROW EXECUTE FUNCTION audit_is_immutable();
CREATE TRIGGER audit_chains_guard_truncate BEFORE TRUNCATE ON audit_chains
    FOR EACH STATEMENT EXECUTE FUNCTION audit_is_immutable();
