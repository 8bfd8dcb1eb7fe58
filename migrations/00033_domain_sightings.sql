-- +goose Up
-- What a website answered when its domain was last looked at, for the people who have to put it right; none if
-- nobody answered, or if it was looked at before this was kept.
ALTER TABLE merchant_domains ADD COLUMN seen jsonb;
