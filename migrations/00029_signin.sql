-- +goose Up
-- Mails that are on their way: written by the transaction that they tell of, sent after it. What a mail says is sealed,
-- as it may have links that let somebody in.
CREATE TABLE mails (
    id uuid PRIMARY KEY,
    kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,50}$'),
    content bytea,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- The next attempt, or the end of the present one's lease; none if there is nothing left to do.
    due_at timestamptz,
    sent_at timestamptz,
    failure text NOT NULL DEFAULT '' CHECK (length(failure) <= 500),
    created_at timestamptz NOT NULL,
    CHECK (sent_at IS NULL OR due_at IS NULL),
    CHECK (due_at IS NULL OR content IS NOT NULL)
);
CREATE INDEX mails_due ON mails (due_at) WHERE due_at IS NOT NULL;

-- How somebody wants the portal to be, and their second factors. A secret of an authenticator app is sealed; it counts
-- once its first code was right.
ALTER TABLE people
    ADD COLUMN theme text NOT NULL DEFAULT '' CHECK (theme IN ('', 'light', 'dark', 'system')),
    ADD COLUMN time_zone text NOT NULL DEFAULT '' CHECK (length(time_zone) <= 64),
    ADD COLUMN muted_mails text[] NOT NULL DEFAULT '{}' CHECK (array_position(muted_mails, NULL) IS NULL),
    ADD COLUMN totp_sealed bytea,
    ADD COLUMN totp_since timestamptz,
    -- When the secret was shown first: one that nobody confirms is good for a while only.
    ADD COLUMN totp_shown_at timestamptz,
    -- The time step of the last code that was taken: no code is taken twice.
    ADD COLUMN totp_step bigint NOT NULL DEFAULT 0,
    ADD COLUMN passkey_handle bytea UNIQUE CHECK (length(passkey_handle) = 32),
    ADD CHECK (totp_since IS NULL OR totp_sealed IS NOT NULL);

-- Codes for who has lost the other factor: the SHA-256 of 80 random bits. Each is taken once.
CREATE TABLE recovery_codes (
    person_id bigint NOT NULL REFERENCES people (id),
    code_hash bytea NOT NULL CHECK (length(code_hash) = 32),
    created_at timestamptz NOT NULL,
    used_at timestamptz,
    PRIMARY KEY (person_id, code_hash)
);

-- Keys on people's devices; credential is what the library of the protocol keeps of one: nothing in it is secret.
CREATE TABLE passkeys (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people (id),
    credential_id bytea NOT NULL UNIQUE CHECK (length(credential_id) BETWEEN 1 AND 1023),
    credential jsonb NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    created_at timestamptz NOT NULL,
    last_used_at timestamptz
);
CREATE INDEX passkeys_by_person ON passkeys (person_id, id);

-- What is asked of a device until it answers: challenges, known by the SHA-256 of a text that the page has.
CREATE TABLE passkey_challenges (
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    person_id bigint REFERENCES people (id),
    challenge jsonb NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX passkey_challenges_by_end ON passkey_challenges (expires_at);

-- Links to choose a new password, of which only the SHA-256 is kept. One works once, and ends the others of its person.
CREATE TABLE password_resets (
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    person_id bigint NOT NULL REFERENCES people (id),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    used_at timestamptz
);
CREATE INDEX password_resets_by_person ON password_resets (person_id);

-- Who has given the right password and still owes the second factor.
CREATE TABLE started_sign_ins (
    token_hash bytea PRIMARY KEY CHECK (length(token_hash) = 32),
    person_id bigint NOT NULL REFERENCES people (id),
    created_at timestamptz NOT NULL
);
CREATE INDEX started_sign_ins_by_person ON started_sign_ins (person_id);

-- How often something was tried lately: by the SHA-256 of what, by whom and from where.
CREATE TABLE attempts (
    key bytea PRIMARY KEY CHECK (length(key) = 32),
    count integer NOT NULL CHECK (count > 0),
    ends_at timestamptz NOT NULL
);
CREATE INDEX attempts_by_end ON attempts (ends_at);

-- Browsers in which somebody has signed in before: another one is told of by mail. The browser keeps the text.
CREATE TABLE known_browsers (
    person_id bigint NOT NULL REFERENCES people (id),
    token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
    last_seen_at timestamptz NOT NULL,
    PRIMARY KEY (person_id, token_hash)
);

-- id names a session in lists; proven_at is when its person last proved who they are, none for at its beginning.
ALTER TABLE portal_sessions
    ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    ADD COLUMN proven_at timestamptz,
    ADD COLUMN address inet,
    ADD COLUMN user_agent text NOT NULL DEFAULT '' CHECK (length(user_agent) <= 500);
