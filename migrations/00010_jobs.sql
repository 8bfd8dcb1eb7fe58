-- +goose Up
CREATE SCHEMA river;

-- One row to lock while the job queue's own migrations run.
CREATE TABLE migration_turn (one boolean PRIMARY KEY DEFAULT true CHECK (one));
INSERT INTO migration_turn DEFAULT VALUES;
