-- +goose Up
-- What an outcome comes to whose charge is not as it was when its call began. An error of its own says nothing of the row, as one
-- of the column's would, in the server's log.
-- +goose StatementBegin
CREATE FUNCTION charge_moved() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the charge was touched meanwhile' USING ERRCODE = 'restrict_violation', CONSTRAINT = 'charge_moved';
END
$$;
-- +goose StatementEnd
