-- +goose Up
-- Hashes of the passwords that a person used before the current one, so that they aren't chosen again.
CREATE TABLE former_passwords (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people (id),
    password_hash text NOT NULL,
    replaced_at timestamptz NOT NULL
);

CREATE INDEX former_passwords_by_person ON former_passwords (person_id, id);
