-- +goose Up
-- Who of the deployment looks at the portal through another role for a while: one view a session, which ends with it.
CREATE TABLE portal_views (
    session_hash bytea PRIMARY KEY REFERENCES portal_sessions (id_hash) ON UPDATE CASCADE ON DELETE CASCADE,
    role text NOT NULL CHECK (role IN ('application_admin', 'organization_admin', 'organization_staff')),
    domain text NOT NULL CHECK (domain ~ '^(app|org):[1-9][0-9]{0,18}$'),
    reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 500),
    ends_at timestamptz NOT NULL
);
