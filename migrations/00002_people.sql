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

-- What a person may do, and where: the whole deployment, an application or an organization. A person has one
-- role in each of these.
CREATE TABLE grants (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people (id),
    role text NOT NULL CHECK (role IN ('system_admin', 'support_staff', 'application_admin', 'organization_admin', 'organization_staff')),
    scope text NOT NULL CHECK (scope IN ('system', 'app', 'org')),
    application_id bigint REFERENCES applications (id),
    organization_id bigint REFERENCES organizations (id),
    created_at timestamptz NOT NULL,
    CONSTRAINT grants_one_role UNIQUE NULLS NOT DISTINCT (person_id, scope, application_id, organization_id),
    CHECK (scope = CASE role WHEN 'application_admin' THEN 'app'
        WHEN 'organization_admin' THEN 'org' WHEN 'organization_staff' THEN 'org' ELSE 'system' END),
    CHECK ((scope = 'app') = (application_id IS NOT NULL)),
    CHECK ((scope = 'org') = (organization_id IS NOT NULL))
);

CREATE INDEX grants_by_application ON grants (application_id, id) WHERE application_id IS NOT NULL;
CREATE INDEX grants_by_organization ON grants (organization_id, id) WHERE organization_id IS NOT NULL;

-- A role that somebody is offered by a link of which only the SHA-256 is kept. It can be accepted once.
CREATE TABLE invitations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
    email text NOT NULL CHECK (length(email) BETWEEN 3 AND 255),
    role text NOT NULL,
    scope text NOT NULL,
    application_id bigint REFERENCES applications (id),
    organization_id bigint REFERENCES organizations (id),
    invited_by text NOT NULL,
    inviter_id bigint REFERENCES people (id),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    accepted_at timestamptz,
    withdrawn_at timestamptz,
    CHECK (scope = CASE role WHEN 'application_admin' THEN 'app'
        WHEN 'organization_admin' THEN 'org' WHEN 'organization_staff' THEN 'org'
        WHEN 'system_admin' THEN 'system' WHEN 'support_staff' THEN 'system' END),
    CHECK ((scope = 'app') = (application_id IS NOT NULL)),
    CHECK ((scope = 'org') = (organization_id IS NOT NULL)),
    CHECK (accepted_at IS NULL OR withdrawn_at IS NULL)
);
CREATE INDEX invitations_by_inviter ON invitations (inviter_id) WHERE inviter_id IS NOT NULL;
-- At most one offer to somebody in each domain.
CREATE UNIQUE INDEX invitations_open ON invitations (lower(email), scope, application_id, organization_id) NULLS NOT DISTINCT
    WHERE accepted_at IS NULL AND withdrawn_at IS NULL;

-- A sign-in, known by the SHA-256 of the id in its cookie, and where its person chose to act: '' for
-- wherever they may. The application is the one that people of the deployment work in.
CREATE TABLE portal_sessions (
    id_hash bytea PRIMARY KEY CHECK (length(id_hash) = 32),
    person_id bigint NOT NULL REFERENCES people (id),
    domain text NOT NULL DEFAULT '' CHECK (domain ~ '^(|system|(app|org):[1-9][0-9]{0,18})$'),
    application_id bigint REFERENCES applications (id),
    created_at timestamptz NOT NULL,
    last_seen_at timestamptz NOT NULL
);
CREATE INDEX portal_sessions_by_person ON portal_sessions (person_id);
