-- +goose Up
-- Every association file that was installed, so that a former one can be restored. Servers of before write only
-- the file itself: triggers count its versions and keep them, whichever server installs one.
ALTER TABLE wallet_a_domain_file ADD COLUMN version bigint NOT NULL DEFAULT 1;

CREATE TABLE wallet_a_domain_files (
    version bigint PRIMARY KEY CHECK (version > 0),
    content text NOT NULL CHECK (length(content) BETWEEN 1 AND 16384),
    installed_at timestamptz NOT NULL
);

INSERT INTO wallet_a_domain_files (version, content, installed_at)
SELECT version, content, installed_at FROM wallet_a_domain_file;

-- +goose StatementBegin
CREATE FUNCTION number_association_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.version := OLD.version + (NEW.content IS DISTINCT FROM OLD.content)::int;
    RETURN NEW;
END
$$;
-- +goose StatementEnd

-- +goose StatementBegin
CREATE FUNCTION keep_association_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO wallet_a_domain_files (version, content, installed_at) VALUES (NEW.version, NEW.content, NEW.installed_at)
    ON CONFLICT (version) DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

CREATE TRIGGER number_association_file BEFORE UPDATE ON wallet_a_domain_file
    FOR EACH ROW EXECUTE FUNCTION number_association_file();
CREATE TRIGGER keep_association_file AFTER INSERT OR UPDATE ON wallet_a_domain_file
    FOR EACH ROW EXECUTE FUNCTION keep_association_file();
