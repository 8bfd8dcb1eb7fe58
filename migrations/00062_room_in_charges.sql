-- +goose Up
-- A refund changes its charge twice, but nothing that charges are searched by: where there is room in its page, no index has to
-- be told. Of pages that are full there is room in four of ten.
ALTER TABLE charges SET (fillfactor = 75);
