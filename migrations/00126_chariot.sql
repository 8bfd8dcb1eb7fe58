-- +goose NO TRANSACTION
-- +goose Up
-- What the adapter of the DAF provider Chariot knows: its connects, the visits of donors, the grants that were
-- submitted, and the provider's book as it was last read. Nothing of the service joins these tables. Times are the
-- machine's if nothing else is said. An enrollment gets the contact that the provider was given; earlier ones have
-- none, and servers of the previous version write none. To alter a table needs its lock: the migration waits at most
-- 200 ms for it, then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE add_chariot() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            -- Where the walk of a connect's grants continues, and when the last one ended.
            CREATE TABLE IF NOT EXISTS chariot_connects (
                connect_id text PRIMARY KEY,
                ein        text NOT NULL,
                walk_token text NOT NULL DEFAULT '',
                walked_at  timestamptz,
                created_at timestamptz NOT NULL
            );
            -- Anyone with the id of a visit can continue it. session is the provider's workflow session, as the donor's
            -- browser reported it; donor is emptied when it is no longer needed.
            CREATE TABLE IF NOT EXISTS chariot_visits (
                id             text PRIMARY KEY,
                reference      text NOT NULL UNIQUE,
                account        text NOT NULL,
                connect_id     text NOT NULL REFERENCES chariot_connects (connect_id),
                fund_id        text NOT NULL,
                -- of the visit, then what was authorized
                amount         bigint NOT NULL CHECK (amount > 0 AND amount % 100 = 0),
                donor          jsonb NOT NULL,
                return_address text NOT NULL,
                state          text NOT NULL CHECK (state IN ('open', 'authorized', 'canceled', 'failed')),
                exit_reason    text NOT NULL DEFAULT '',
                session        text UNIQUE,
                authorized_at  timestamptz,
                created_at     timestamptz NOT NULL,
                CHECK ((state = 'authorized') = (session IS NOT NULL)),
                CHECK ((state = 'authorized') = (authorized_at IS NOT NULL))
            );
            CREATE INDEX IF NOT EXISTS chariot_visits_by_age ON chariot_visits (created_at);
            -- One row for each of our references; without an answer while the outcome is unknown. A visit gives one
            -- grant.
            CREATE TABLE IF NOT EXISTS chariot_grants (
                reference    text PRIMARY KEY,
                visit_id     text NOT NULL,
                amount       bigint NOT NULL,
                attempts     integer NOT NULL DEFAULT 0,
                answer       jsonb,
                grant_id     text UNIQUE, -- the provider's
                provider_fee bigint,      -- as the provider reported it; NULL: it reported none
                created_at   timestamptz NOT NULL
            );
            CREATE UNIQUE INDEX IF NOT EXISTS chariot_grants_once ON chariot_grants (visit_id)
                WHERE answer IS NULL OR answer->>'approved' = 'true';
            CREATE INDEX IF NOT EXISTS chariot_grants_by_visit ON chariot_grants (visit_id);
            -- The provider's grants of our visits, numbered as we first saw them. ended_by is the event that reported
            -- the end of one.
            CREATE TABLE IF NOT EXISTS chariot_lines (
                number      bigint PRIMARY KEY,
                grant_id    text NOT NULL UNIQUE,
                reference   text NOT NULL,
                tracking_id text NOT NULL,
                account     text NOT NULL,
                connect_id  text NOT NULL,
                amount      bigint NOT NULL,
                status      text NOT NULL, -- in the provider's words
                state       text NOT NULL CHECK (state IN ('', 'grant_completed', 'grant_canceled')),
                ended_at    timestamptz,   -- when we first read that it had ended
                ended_by    text,
                at          timestamptz NOT NULL, -- of the grant, by the provider
                CHECK ((state = '') = (ended_at IS NULL))
            );
            CREATE INDEX IF NOT EXISTS chariot_lines_unreported ON chariot_lines (ended_at) WHERE ended_at IS NOT NULL
                AND ended_by IS NULL;
            CREATE TABLE IF NOT EXISTS chariot_state (
                one  boolean PRIMARY KEY DEFAULT true CHECK (one),
                last bigint NOT NULL DEFAULT 0 -- number of a line
            );
            INSERT INTO chariot_state DEFAULT VALUES ON CONFLICT DO NOTHING;
            ALTER TABLE daf_enrollments ADD COLUMN IF NOT EXISTS contact jsonb;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the enrollments in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL add_chariot();
DROP PROCEDURE add_chariot();
