-- +goose Up
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
    CHECK (debit <> credit),
    CHECK (debit IN ('processor_receivable', 'merchant_pending', 'merchant_available', 'merchant_reserved',
        'merchant_in_transit', 'application_fees', 'service_fees', 'adjustments')),
    CHECK (credit IN ('processor_receivable', 'merchant_pending', 'merchant_available', 'merchant_reserved',
        'merchant_in_transit', 'application_fees', 'service_fees', 'adjustments')),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX ledger_entries_by_source ON ledger_entries (application_id, source_id);
CREATE INDEX ledger_entries_by_charge ON ledger_entries (application_id, charge_id);
CREATE INDEX ledger_entries_by_merchant ON ledger_entries (application_id, merchant_id, id);

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

-- Each account's balance: debits minus credits, in minor units.
CREATE VIEW ledger_balances AS
SELECT application_id, merchant_id, account, currency, sum(amount)::bigint AS balance
FROM (
    SELECT application_id, merchant_id, debit AS account, currency, amount FROM ledger_entries
    UNION ALL
    SELECT application_id, merchant_id, credit, currency, -amount FROM ledger_entries
) sides
GROUP BY application_id, merchant_id, account, currency;
