-- +goose Up
-- The rows that every payment writes belong to a merchant or an application that exists, checked once a statement. Foreign keys would
-- check each row and lock its merchant and its application each time, 13 times a charge, so that all payments of an application
-- lock one row. Such a lock keeps what is referred to from being removed, and neither is ever removed.
-- +goose StatementBegin
CREATE FUNCTION merchants_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'applications and merchants are never removed and keep their ids, and rows keep their merchants' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION merchants_exist() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM added a WHERE NOT CASE WHEN a.merchant_id IS NULL
            THEN EXISTS (SELECT FROM applications p WHERE p.id = a.application_id)
            ELSE EXISTS (SELECT FROM merchants m WHERE m.application_id = a.application_id AND m.id = a.merchant_id) END) THEN
        RAISE EXCEPTION 'a row of % belongs to no merchant of its application', TG_TABLE_NAME USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION applications_exist() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM added a WHERE NOT EXISTS (SELECT FROM applications p WHERE p.id = a.application_id)) THEN
        RAISE EXCEPTION 'a row of % belongs to no application', TG_TABLE_NAME USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
