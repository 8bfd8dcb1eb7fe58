-- +goose Up
-- Where a merchant's payouts go. The number is in the vault, under a token that cannot be charged; a
-- merchant has one account that is not replaced. held_until is by the application's clock.
CREATE TABLE merchant_bank_accounts (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL,
    status text NOT NULL CHECK (status IN ('unverified', 'verified', 'replaced')),
    bank_name text NOT NULL,
    last4 text NOT NULL CHECK (length(last4) BETWEEN 2 AND 4),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    deposits smallint[] NOT NULL CHECK (cardinality(deposits) = 2),
    tries integer NOT NULL DEFAULT 0 CHECK (tries BETWEEN 0 AND 10),
    held_until timestamptz,
    created_at timestamptz NOT NULL,
    verified_at timestamptz,
    replaced_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id),
    CHECK (status <> 'verified' OR verified_at IS NOT NULL),
    CHECK ((status = 'replaced') = (replaced_at IS NOT NULL))
);
CREATE UNIQUE INDEX merchant_bank_accounts_one_current ON merchant_bank_accounts (application_id, merchant_id)
    WHERE status <> 'replaced';

-- What left for a merchant's bank. bank_name and bank_last4 are those of the account as it was then;
-- all its entries have ids above entries_above, the merchant's payout_floor when it was made.
CREATE TABLE payouts (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('processing', 'paid', 'failed', 'returned')),
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    bank_account_id uuid NOT NULL,
    bank_name text NOT NULL,
    bank_last4 text NOT NULL CHECK (length(bank_last4) BETWEEN 2 AND 4),
    statement_descriptor text NOT NULL,
    arrival_on date NOT NULL,
    entry_count integer NOT NULL CHECK (entry_count > 0),
    charge_count integer NOT NULL CHECK (charge_count >= 0),
    refund_count integer NOT NULL CHECK (refund_count >= 0),
    period_from timestamptz NOT NULL,
    period_to timestamptz NOT NULL CHECK (period_to >= period_from),
    entries_above uuid NOT NULL,
    failure jsonb,
    processor_name text NOT NULL,
    processor_reference text NOT NULL,
    created_at timestamptz NOT NULL,
    paid_at timestamptz,
    failed_at timestamptz,
    returned_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (processor_name, processor_reference),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, bank_account_id) REFERENCES merchant_bank_accounts (application_id, merchant_id, id),
    CHECK ((status IN ('failed', 'returned')) = (failure IS NOT NULL)),
    CHECK ((status IN ('paid', 'returned')) = (paid_at IS NOT NULL)),
    CHECK (CASE status WHEN 'failed' THEN failed_at IS NOT NULL WHEN 'processing' THEN failed_at IS NULL ELSE true END),
    CHECK ((status = 'returned') = (returned_at IS NOT NULL))
);
CREATE INDEX payouts_by_merchant ON payouts (application_id, merchant_id, id DESC);

-- What a payout is made of: ledger entries, as the merchant sees them (owed is positive). An entry is
-- in one active payout at most; those of a payout that failed or came back are active no longer.
CREATE TABLE payout_entries (
    application_id bigint NOT NULL,
    payout_id uuid NOT NULL,
    entry_id uuid NOT NULL,
    active boolean NOT NULL,
    amount bigint NOT NULL CHECK (amount <> 0),
    PRIMARY KEY (application_id, payout_id, entry_id),
    FOREIGN KEY (application_id, payout_id) REFERENCES payouts (application_id, id),
    FOREIGN KEY (application_id, entry_id) REFERENCES ledger_entries (application_id, id)
);
CREATE INDEX payout_entries_by_entry ON payout_entries (application_id, entry_id);
CREATE UNIQUE INDEX payout_entries_once ON payout_entries (application_id, entry_id) WHERE active;

-- What payouts collect from: the entries that changed what a merchant can be paid.
CREATE INDEX ledger_entries_available ON ledger_entries (application_id, merchant_id, id)
    INCLUDE (debit, amount, currency, kind, charge_id, created_at)
    WHERE (debit = 'merchant_available' OR credit = 'merchant_available')
        AND kind NOT IN ('payout', 'payout_failed', 'payout_returned');
