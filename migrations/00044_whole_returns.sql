-- +goose Up
-- A bank sends back all of a debit, whatever was refunded of it before. Totals left that out until now: those of
-- applications that had such a debit are made anew by the job that keeps them, which waits meanwhile.
LOCK TABLE charge_cutoffs IN EXCLUSIVE MODE;
CREATE TEMPORARY TABLE mistaken ON COMMIT DROP AS
    SELECT a.id FROM applications a
    WHERE EXISTS (SELECT FROM charges c WHERE c.application_id = a.id AND c.status = 'returned' AND c.amount_refunded > 0);
DELETE FROM charge_totals WHERE application_id IN (SELECT id FROM mistaken);
DELETE FROM charge_cutoffs WHERE application_id IN (SELECT id FROM mistaken);
