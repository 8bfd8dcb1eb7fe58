-- +goose Up
-- No change of fees begins at or before an instant at which something was charged by the fees that it changes: every line can be
-- computed again from the schedule that was in effect. The program holds the series while it changes it, so this is never met.
-- +goose StatementBegin
CREATE FUNCTION charged_since(application bigint, merchant bigint, since timestamptz) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (SELECT FROM fee_events
        WHERE application_id = application AND merchant_id = merchant AND occurred_at >= since)
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION fees_begin_later() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF charged_since(NEW.application_id, NEW.merchant_id, NEW.effective_at) THEN
        RAISE EXCEPTION 'fees cannot begin before what was charged' USING ERRCODE = 'check_violation', CONSTRAINT = 'fees_begin_later';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION service_fees_begin_later() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM merchants m WHERE m.application_id = NEW.application_id AND charged_since(NEW.application_id, m.id, NEW.effective_at)) THEN
        RAISE EXCEPTION 'fees cannot begin before what was charged' USING ERRCODE = 'check_violation', CONSTRAINT = 'fees_begin_later';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER fees_begin_later AFTER INSERT OR UPDATE OF canceled_at ON fee_schedules
    FOR EACH ROW EXECUTE FUNCTION fees_begin_later();
CREATE TRIGGER service_fees_begin_later AFTER INSERT OR UPDATE OF canceled_at ON service_fee_schedules
    FOR EACH ROW EXECUTE FUNCTION service_fees_begin_later();
