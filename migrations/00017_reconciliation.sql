-- +goose Up
-- What processors wrote down of our calls, as it was read from their books. A row never changes.
CREATE TABLE reconciliation_lines (
    processor text NOT NULL,
    number bigint NOT NULL,
    reference text NOT NULL,
    kind text NOT NULL,
    account text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    approved boolean NOT NULL,
    at timestamptz NOT NULL, -- by the clock of the account
    read_at timestamptz NOT NULL,
    PRIMARY KEY (processor, number)
);
CREATE INDEX reconciliation_lines_by_reference ON reconciliation_lines (processor, reference, number);

-- What providers of donor-advised funds have in their books of grants, as it was read last. state_at is when
-- the state was first read.
CREATE TABLE reconciliation_grants (
    provider text NOT NULL,
    number bigint NOT NULL,
    reference text NOT NULL,
    tracking_id text NOT NULL,
    account text NOT NULL,
    amount bigint NOT NULL,
    state text NOT NULL, -- '' while the grant is on its way
    at timestamptz NOT NULL, -- by the clock of the account
    state_at timestamptz NOT NULL,
    PRIMARY KEY (provider, number)
);
CREATE INDEX reconciliation_grants_by_reference ON reconciliation_grants (provider, reference, number);
CREATE INDEX reconciliation_grants_on_their_way ON reconciliation_grants (provider, number) WHERE state = '';
CREATE INDEX reconciliation_grants_by_state ON reconciliation_grants (provider, state_at);

-- Comparisons: one a day, and those that somebody asked for. Of each processor at most one is open;
-- what is younger than its horizon is left to a later one.
CREATE TABLE reconciliation_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    processor text NOT NULL,
    day date NOT NULL,
    requested boolean NOT NULL,
    stage text NOT NULL CHECK (stage IN ('book', 'operations', 'postings', 'open', 'done')),
    horizon timestamptz NOT NULL,
    lines bigint NOT NULL DEFAULT 0,
    operations bigint NOT NULL DEFAULT 0,
    postings bigint NOT NULL DEFAULT 0,
    found bigint NOT NULL DEFAULT 0,
    resolved bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    CHECK ((stage = 'done') = (finished_at IS NOT NULL))
);
CREATE UNIQUE INDEX reconciliation_runs_daily ON reconciliation_runs (processor, day) WHERE NOT requested;
CREATE UNIQUE INDEX reconciliation_runs_one_open ON reconciliation_runs (processor) WHERE finished_at IS NULL;

-- How far runs have come: the last line that was read, the last operation, and the last entry of each
-- application's ledger that were compared. A run goes on where the one before it ended.
CREATE TABLE reconciliation_cursors (
    processor text PRIMARY KEY,
    line bigint NOT NULL,
    operation uuid NOT NULL
);
CREATE TABLE reconciliation_ledgers (
    processor text NOT NULL,
    application_id bigint NOT NULL REFERENCES applications (id),
    through uuid NOT NULL,
    PRIMARY KEY (processor, application_id)
);

-- Where a processor's book, our operations and our ledger do not agree. An open difference is one row.
-- reference is that of the operation; of a posting without one, its business key. Application and
-- merchant have no foreign key: an unknown line may name such as we do not have.
CREATE TABLE reconciliation_differences (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    processor text NOT NULL,
    reference text NOT NULL,
    kind text NOT NULL CONSTRAINT reconciliation_differences_kind CHECK (kind IN ('unknown_reference',
        'missing_in_book', 'submitted_twice', 'approval_differs', 'amount_differs', 'currency_differs', 'kind_differs',
        'account_differs', 'posting_missing', 'posting_differs', 'posting_unexpected', 'open_too_long', 'tracking_differs', 'state_differs')),
    application_id bigint,
    merchant_id bigint,
    our_kind text,
    our_state text,
    our_amount bigint,
    our_currency text,
    book_lines integer NOT NULL,
    book_number bigint, -- of the first line
    book_kind text,
    book_account text,
    book_amount bigint,
    book_currency text,
    book_approved boolean,
    postings integer NOT NULL,
    posted bigint NOT NULL,
    run bigint NOT NULL REFERENCES reconciliation_runs (id), -- which found it
    checked_run bigint NOT NULL REFERENCES reconciliation_runs (id), -- which saw it last
    found_at timestamptz NOT NULL,
    resolved_at timestamptz
);
CREATE UNIQUE INDEX reconciliation_differences_open ON reconciliation_differences (processor, reference, kind)
    WHERE resolved_at IS NULL;
