-- +goose Up
-- Between which accounts each kind moves money: ledger.Rules in Go, docs/ledger.md in words. The last pair of a kind
-- that touches merchant_pending is its release. It is a function because a server reads the text of a table's
-- checks anew for every statement that writes there, but a function once, and its expressions once a transaction, those that
-- it comes to.
-- +goose StatementBegin
CREATE FUNCTION ledger_moves(kind text, debit text, credit text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    IF kind IN ('capture', 'debit') THEN
        RETURN (debit, credit) IN (
        ('processor_receivable', 'merchant_pending'), ('merchant_pending', 'merchant_available'));
    ELSIF kind IN ('authorization_fee', 'capture_fee', 'amex_surcharge_percentage', 'ach_transfer_flat_fee',
        'ach_transfer_percentage', 'ach_transfer_failed_fee', 'ach_return_fee', 'chargeback_fee', 'retrieval_fee',
        'platform_flat_fee', 'platform_percentage') THEN
        RETURN (debit, credit) IN (
        ('merchant_pending', 'application_fees'), ('merchant_available', 'application_fees'),
        ('merchant_available', 'merchant_pending'));
    ELSIF kind IN ('service_authorization_fee', 'service_capture_fee', 'service_amex_surcharge_percentage',
        'service_ach_transfer_flat_fee', 'service_ach_transfer_percentage', 'service_ach_transfer_failed_fee',
        'service_ach_return_fee', 'service_chargeback_fee', 'service_retrieval_fee', 'service_platform_flat_fee',
        'service_platform_percentage') THEN
        RETURN (debit, credit) = ('application_fees', 'service_fees');
    ELSIF kind = 'debit_reversed' THEN
        RETURN (debit, credit) IN (
        ('merchant_pending', 'processor_receivable'), ('merchant_available', 'merchant_pending'));
    ELSIF kind = 'return' THEN
        RETURN (debit, credit) = ('merchant_available', 'processor_receivable');
    ELSIF kind = 'refund' THEN
        RETURN (debit, credit) IN (
        ('merchant_pending', 'processor_receivable'), ('merchant_available', 'processor_receivable'),
        ('merchant_available', 'merchant_pending'));
    ELSIF kind = 'chargeback' THEN
        RETURN (debit, credit) = ('merchant_available', 'merchant_reserved');
    ELSIF kind = 'chargeback_won' THEN
        RETURN (debit, credit) IN (
        ('merchant_reserved', 'merchant_available'), ('processor_receivable', 'merchant_available'));
    ELSIF kind = 'chargeback_lost' THEN
        RETURN (debit, credit) = ('merchant_reserved', 'processor_receivable');
    ELSIF kind = 'payout' THEN
        RETURN (debit, credit) = ('merchant_available', 'merchant_in_transit');
    ELSIF kind = 'payout_paid' THEN
        RETURN (debit, credit) = ('merchant_in_transit', 'processor_receivable');
    ELSIF kind = 'payout_failed' THEN
        RETURN (debit, credit) = ('merchant_in_transit', 'merchant_available');
    ELSIF kind = 'payout_returned' THEN
        RETURN (debit, credit) = ('processor_receivable', 'merchant_available');
    ELSIF kind = 'payout_corrected' THEN
        RETURN (debit, credit) IN (
        ('merchant_available', 'processor_receivable'), ('processor_receivable', 'merchant_available'));
    ELSIF kind = 'daf_percentage' THEN
        RETURN (debit, credit) = ('daf_invoice', 'daf_service_fees');
    ELSIF kind = 'daf_percentage_reversed' THEN
        RETURN (debit, credit) = ('daf_service_fees', 'daf_invoice');
    ELSIF kind = 'daf_provider_percentage' THEN
        RETURN (debit, credit) = ('daf_withheld', 'daf_provider_fees');
    ELSIF kind = 'daf_provider_percentage_reversed' THEN
        RETURN (debit, credit) = ('daf_provider_fees', 'daf_withheld');
    END IF;
    RETURN false;
END $$;
-- +goose StatementEnd

-- Immutable double entry: every row moves amount from credit to debit, so the books balance by
-- construction. business_key makes each posting happen once.
CREATE TABLE ledger_entries (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    business_key text NOT NULL,
    kind text NOT NULL,
    debit text NOT NULL,
    credit text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    source_id uuid NOT NULL CHECK (source_id <> '00000000-0000-0000-0000-000000000000'),
    charge_id uuid,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, business_key),
    CONSTRAINT ledger_entries_kind CHECK (ledger_moves(kind, debit, credit)),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
-- Most postings come from the charge that they concern and are found by that.
CREATE INDEX ledger_entries_by_source ON ledger_entries (application_id, source_id)
    WHERE source_id IS DISTINCT FROM charge_id;
CREATE INDEX ledger_entries_by_charge ON ledger_entries (application_id, charge_id);
CREATE INDEX ledger_entries_by_merchant ON ledger_entries (application_id, merchant_id, id);
CREATE INDEX ledger_entries_by_time ON ledger_entries (application_id, merchant_id, created_at);

-- +goose StatementBegin
CREATE FUNCTION ledger_entries_are_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger entries are immutable' USING ERRCODE = 'restrict_violation';
END $$;
-- +goose StatementEnd
CREATE TRIGGER ledger_entries_guard BEFORE UPDATE OR DELETE ON ledger_entries
    FOR EACH ROW EXECUTE FUNCTION ledger_entries_are_immutable();
CREATE TRIGGER ledger_entries_guard_truncate BEFORE TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_are_immutable();

-- Each account's balance, summed over every entry: debits minus credits, in minor units.
CREATE VIEW ledger_balances AS
SELECT application_id, merchant_id, account, currency, sum(amount)::bigint AS balance
FROM (
    SELECT application_id, merchant_id, debit AS account, currency, amount FROM ledger_entries
    UNION ALL
    SELECT application_id, merchant_id, credit, currency, -amount FROM ledger_entries
) sides
GROUP BY application_id, merchant_id, account, currency;

-- Running totals: what the entries up to and with through sum up to. A balance is a total and the
-- entries after. Postings never touch them; one job moves through and the totals together.
CREATE TABLE ledger_cutoffs (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
    through uuid NOT NULL,
    compared_at timestamptz
);
CREATE TABLE ledger_totals (
    application_id bigint NOT NULL REFERENCES ledger_cutoffs (application_id),
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    balance bigint NOT NULL,
    PRIMARY KEY (application_id, merchant_id, account, currency),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);

-- Totals that were found not to be the sum of their entries. An open difference is one row.
CREATE TABLE ledger_differences (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    account text NOT NULL,
    currency text NOT NULL,
    total bigint NOT NULL,
    sum bigint NOT NULL,
    found_at timestamptz NOT NULL,
    healed_at timestamptz,
    CHECK (total <> sum),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE UNIQUE INDEX ledger_differences_open ON ledger_differences (application_id, merchant_id, account, currency)
    WHERE healed_at IS NULL;
