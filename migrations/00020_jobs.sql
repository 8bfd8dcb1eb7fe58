-- +goose Up
-- The job queue's own migrations fill this schema.
CREATE SCHEMA river;
