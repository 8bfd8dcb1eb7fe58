-- +goose Up
-- The sandbox processor's own book. It belongs to the counterparty: nothing of the service joins it.
-- Every submission is a row, a repeated reference too, so that a double submission is seen.
-- created_at and visible_at are the machine's time, account_at is the account's.
CREATE TABLE sandbox_processor_book (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('authorize', 'debit', 'capture', 'void', 'refund', 'payout', 'respond')),
    reference text NOT NULL,
    original text,
    account text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL,
    captured boolean NOT NULL,
    approved boolean NOT NULL,
    last4 text NOT NULL,
    test_case text NOT NULL,
    answer jsonb NOT NULL,
    visible_at timestamptz NOT NULL,
    account_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    CHECK ((original IS NULL) = (kind IN ('authorize', 'debit', 'payout'))),
    CHECK (approved OR NOT captured)
);
CREATE INDEX sandbox_processor_book_by_reference ON sandbox_processor_book (reference, id);
CREATE INDEX sandbox_processor_book_by_original ON sandbox_processor_book (original) WHERE original IS NOT NULL;

-- What will happen at the processor, by the clock of its account. A row leaves for the feed when it
-- is due, or is taken back by a call that makes it impossible. The row of a deadline is there for as
-- long as the merchant may answer a dispute.
CREATE TABLE sandbox_processor_schedule (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text COLLATE "C" NOT NULL,
    due_at timestamptz NOT NULL,
    kind text NOT NULL,
    reference text NOT NULL,
    return_code text NOT NULL,
    dispute text NOT NULL,
    retrieval boolean NOT NULL,
    reason text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    respond_by timestamptz,
    deadline boolean NOT NULL,
    CHECK ((dispute = '') = (respond_by IS NULL)),
    CHECK (dispute <> '' OR NOT deadline)
);
CREATE INDEX sandbox_processor_schedule_due ON sandbox_processor_schedule (account, due_at);
CREATE INDEX sandbox_processor_schedule_by_reference ON sandbox_processor_schedule (reference);

-- What happened. Ids become visible in their order, because whoever writes here holds the only row
-- of sandbox_processor_emission until the commit: a reader's cursor passes over nothing.
CREATE TABLE sandbox_processor_feed (
    id bigint PRIMARY KEY,
    account text NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL,
    reference text NOT NULL,
    return_code text NOT NULL,
    dispute text NOT NULL,
    retrieval boolean NOT NULL,
    reason text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    respond_by timestamptz
);
CREATE INDEX sandbox_processor_feed_by_reference ON sandbox_processor_feed (reference);
CREATE INDEX sandbox_processor_feed_by_dispute ON sandbox_processor_feed (dispute, id) WHERE dispute <> '';

CREATE TABLE sandbox_processor_emission (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    last bigint NOT NULL
);
INSERT INTO sandbox_processor_emission (last) VALUES (0);
