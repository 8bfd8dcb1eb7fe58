-- +goose Up
-- The smallest charge of a merchant, in minor units of its currency. Servers of before neither read nor write it.
ALTER TABLE merchants ADD COLUMN minimum_charge bigint NOT NULL DEFAULT 50
    CONSTRAINT merchants_minimum_charge_check CHECK (minimum_charge BETWEEN 1 AND 99999999);
