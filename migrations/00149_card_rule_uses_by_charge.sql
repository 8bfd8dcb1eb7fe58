-- +goose NO TRANSACTION
-- +goose Up
-- A job deletes the uses that no longer count, by the time in the ids of their charges. Uses of earlier versions are
-- counted by hashes without a key: they count for servers of those versions only, and the job deletes them within a
-- week. With each charge, these servers delete some of a merchant's old uses by card_rule_uses_by_time, so it stays: a
-- later release drops it.
DROP INDEX CONCURRENTLY IF EXISTS card_rule_uses_by_charge;
CREATE INDEX CONCURRENTLY card_rule_uses_by_charge ON card_rule_uses (charge_id);
