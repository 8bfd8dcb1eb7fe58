-- +goose Up
CREATE TABLE people (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    email text NOT NULL CHECK (length(email) BETWEEN 3 AND 255),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    password_hash text NOT NULL,
    failures integer NOT NULL DEFAULT 0,
    locked_until timestamptz,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX people_by_email ON people (lower(email));

-- What a person may do, and where: the whole deployment, an application or an organization.
CREATE TABLE grants (
    person_id bigint NOT NULL REFERENCES people (id),
    role text NOT NULL CHECK (role IN ('system_admin', 'support_staff', 'application_admin', 'organization_admin', 'organization_staff')),
    scope text NOT NULL CHECK (scope IN ('system', 'app', 'org')),
    application_id bigint REFERENCES applications (id),
    organization_id bigint REFERENCES organizations (id),
    created_at timestamptz NOT NULL,
    UNIQUE NULLS NOT DISTINCT (person_id, role, scope, application_id, organization_id),
    CHECK (scope = CASE role WHEN 'application_admin' THEN 'app'
        WHEN 'organization_admin' THEN 'org' WHEN 'organization_staff' THEN 'org' ELSE 'system' END),
    CHECK ((scope = 'app') = (application_id IS NOT NULL)),
    CHECK ((scope = 'org') = (organization_id IS NOT NULL))
);

-- A sign-in, known by the SHA-256 of the id in its cookie.
CREATE TABLE portal_sessions (
    id_hash bytea PRIMARY KEY CHECK (length(id_hash) = 32),
    person_id bigint NOT NULL REFERENCES people (id),
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL
);
CREATE INDEX portal_sessions_by_person ON portal_sessions (person_id);
