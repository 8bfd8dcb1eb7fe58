-- +goose Up
-- A replay of what failed has attempted at once what waits for a later attempt, a batch at a time; a program of before did all of it
-- when the replay was started.
ALTER TABLE webhook_replays ADD COLUMN hurried boolean NOT NULL DEFAULT true;
