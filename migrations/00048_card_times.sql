-- +goose Up
-- A card may make so many tokens in any hour, not in each hour that begins with one: its last times are kept, the newest first.
-- began_at is from now on the time of the newest, by which a row is forgotten, and tokens how many of them are of the last
-- hour: a program of before that runs beside counts on from there.
ALTER TABLE card_velocity ADD COLUMN times timestamptz[] NOT NULL DEFAULT '{}';
UPDATE card_velocity SET times = array_fill(began_at, ARRAY[least(tokens, 5)]);
