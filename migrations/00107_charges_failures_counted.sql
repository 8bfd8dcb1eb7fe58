-- +goose Up
-- How frequent each code is: those of a partial index's expressions are not looked at by the planner.
CREATE STATISTICS charges_failures ON (failure->>'code') FROM charges;
