-- +goose Up
-- A charge that failed keeps its external_id for display and lists, in another column, and so leaves it free for the next try. The unique index
-- on external_id stays as it is: servers of earlier versions name it in ON CONFLICT. What they write is moved, too, since the trigger moves it. It
-- runs after the update, because a trigger before it would lock every row that is updated once more.
ALTER TABLE charges ADD COLUMN released_external_id text CHECK (length(released_external_id) <= 64);
-- +goose StatementBegin
CREATE FUNCTION charge_releases_external_id() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE charges SET external_id = NULL, released_external_id = external_id
    WHERE application_id = NEW.application_id AND id = NEW.id AND external_id IS NOT NULL;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER charges_release_external_id AFTER INSERT OR UPDATE ON charges FOR EACH ROW
    WHEN (NEW.status = 'failed' AND NEW.external_id IS NOT NULL) EXECUTE FUNCTION charge_releases_external_id();
