-- +goose Up
-- The settings that the editor of a schedule set. The others are those of the schedule before it, and follow it when that changes
-- before the schedule begins. NULL, as servers of before write it: the settings in which it differs from the one before.
ALTER TABLE fee_schedules ADD COLUMN sets text[];
ALTER TABLE service_fee_schedules ADD COLUMN sets text[];
CREATE OR REPLACE VIEW fee_series AS
SELECT application_id, merchant_id, id, version, effective_at,
    authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee, ach_transfer_percentage, ach_transfer_failed_fee,
    ach_return_fee, chargeback_fee, retrieval_fee, platform_flat_fee, platform_percentage, daf_percentage,
    reason, replaces, created_by, created_at, canceled_by, canceled_at, sets
FROM fee_schedules
UNION ALL
SELECT application_id, 0, id, version, effective_at,
    authorization_fee, capture_fee, amex_surcharge_percentage, ach_transfer_flat_fee, ach_transfer_percentage, ach_transfer_failed_fee,
    ach_return_fee, chargeback_fee, retrieval_fee, platform_flat_fee, platform_percentage, daf_percentage,
    reason, replaces, created_by, created_at, canceled_by, canceled_at, sets
FROM service_fee_schedules;
