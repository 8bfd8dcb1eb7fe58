-- +goose Up
-- A bank sends back all of a debit, and a network may ask for all of a charge, whatever was refunded before. Totals
-- counted only what was left until now: those of applications that had such a charge are made anew by the job that
-- keeps them, which waits meanwhile.
LOCK TABLE charge_cutoffs IN EXCLUSIVE MODE;
CREATE TEMPORARY TABLE mistaken ON COMMIT DROP AS
    SELECT a.id FROM applications a
    WHERE EXISTS (SELECT FROM charges c WHERE c.application_id = a.id AND c.status = 'returned' AND c.amount_refunded > 0)
    UNION
    SELECT d.application_id FROM disputes d JOIN charges c ON c.application_id = d.application_id AND c.id = d.charge_id
    WHERE c.amount_contested <> c.amount_disputed;
DELETE FROM charge_totals WHERE application_id IN (SELECT id FROM mistaken);
DELETE FROM charge_cutoffs WHERE application_id IN (SELECT id FROM mistaken);
