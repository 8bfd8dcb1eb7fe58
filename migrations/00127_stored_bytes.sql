-- +goose Up
-- Bytes of files and of exports that each application stored on a day (UTC, of the machine), and the quota when the
-- last ones were stored. One row serves all days: the first bytes of a day replace the sum of an earlier one.
CREATE TABLE stored_bytes (
    application_id bigint NOT NULL,
    kind text NOT NULL,
    day date NOT NULL,
    bytes bigint NOT NULL CHECK (bytes >= 0),
    most bigint NOT NULL CHECK (most > 0),
    PRIMARY KEY (application_id, kind)
);
