-- +goose NO TRANSACTION
-- +goose Up
-- The inbox: what counterparties report is kept as it came, once for each counterparty, account and id, with how it
-- arrived and why it could not be handled yet; and when each counterparty was last heard. Servers of the previous
-- version go on writing both tables: what they store came from a feed. The migration waits at most 200 ms for each
-- lock, then lets running servers proceed and tries again.
DROP INDEX CONCURRENTLY IF EXISTS inbound_events_once;
CREATE UNIQUE INDEX CONCURRENTLY inbound_events_once ON inbound_events (feed, account, id);
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE open_inbox() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE inbound_events
                ADD COLUMN IF NOT EXISTS source text NOT NULL DEFAULT 'feed' CHECK (source IN ('feed', 'notice')),
                ADD COLUMN IF NOT EXISTS failure text NOT NULL DEFAULT '',
                DROP CONSTRAINT IF EXISTS inbound_events_pkey,
                ADD CONSTRAINT inbound_events_pkey PRIMARY KEY USING INDEX inbound_events_once;
            ALTER TABLE inbound_feeds
                ADD COLUMN IF NOT EXISTS read_at timestamptz,
                ADD COLUMN IF NOT EXISTS noticed_at timestamptz,
                ADD COLUMN IF NOT EXISTS refused_at timestamptz,
                ADD COLUMN IF NOT EXISTS failed_at timestamptz,
                ADD COLUMN IF NOT EXISTS failure text NOT NULL DEFAULT '';
            ALTER TABLE sandbox_processor_feed
                ADD COLUMN IF NOT EXISTS notify_at timestamptz,
                ADD COLUMN IF NOT EXISTS notices integer NOT NULL DEFAULT 0;
            ALTER TABLE sandbox_processor_emission ADD COLUMN IF NOT EXISTS signing_key bytea;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the inbound events in 200 attempts; run the migration again';
    END IF;
END $$;
-- +goose StatementEnd
CALL open_inbox();
DROP PROCEDURE open_inbox();
-- Messages are replayed and deleted by their age, and the next that is due is found for each counterparty.
DROP INDEX CONCURRENTLY IF EXISTS inbound_events_received;
CREATE INDEX CONCURRENTLY inbound_events_received ON inbound_events (received_at);
DROP INDEX CONCURRENTLY IF EXISTS sandbox_processor_feed_to_notify;
CREATE INDEX CONCURRENTLY sandbox_processor_feed_to_notify ON sandbox_processor_feed (processor, notify_at) WHERE notify_at IS NOT NULL;
