-- +goose Up
CREATE TABLE merchants (
    id bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001) PRIMARY KEY,
    application_id bigint NOT NULL,
    organization_id bigint NOT NULL,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    status text NOT NULL CHECK (status IN ('active', 'suspended', 'closed')),
    country text NOT NULL CHECK (country IN ('US', 'CA')),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    bank_processor text NOT NULL CHECK (bank_processor IN ('p', 'q')),
    time_zone text NOT NULL,
    statement_descriptor text NOT NULL CHECK (length(statement_descriptor) BETWEEN 1 AND 22),
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, id),
    FOREIGN KEY (application_id, organization_id) REFERENCES organizations (application_id, id)
);
