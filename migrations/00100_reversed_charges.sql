-- +goose Up
-- What a charge lost to disputes, and what these cost, so that a charge's amounts add up to its postings without a look at its disputes. The
-- database keeps both, from the disputes themselves, whichever version of the program writes those.
ALTER TABLE charges ADD COLUMN amount_lost bigint NOT NULL DEFAULT 0, ADD COLUMN dispute_fee_total bigint NOT NULL DEFAULT 0;

-- The charge is locked before its disputes are added up: of two changes at once, the second sees the first.
-- +goose StatementBegin
CREATE FUNCTION add_up_disputes(application bigint, charge uuid) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM charges WHERE application_id = application AND id = charge FOR NO KEY UPDATE;
    UPDATE charges c SET amount_lost = d.lost, dispute_fee_total = d.fees
    FROM (SELECT coalesce(sum(amount) FILTER (WHERE status IN ('lost', 'accepted')), 0)::bigint AS lost, coalesce(sum(fee_total), 0)::bigint AS fees
        FROM disputes WHERE application_id = application AND charge_id = charge) d
    WHERE c.application_id = application AND c.id = charge AND (c.amount_lost, c.dispute_fee_total) IS DISTINCT FROM (d.lost, d.fees);
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION charge_adds_up_disputes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_up_disputes(NEW.application_id, NEW.charge_id);
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER disputes_add_up_new AFTER INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION charge_adds_up_disputes();
CREATE TRIGGER disputes_add_up AFTER UPDATE OF status, amount, fee_total ON disputes FOR EACH ROW
    WHEN ((NEW.status, NEW.amount, NEW.fee_total) IS DISTINCT FROM (OLD.status, OLD.amount, OLD.fee_total))
    EXECUTE FUNCTION charge_adds_up_disputes();
