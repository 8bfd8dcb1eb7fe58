-- +goose NO TRANSACTION
-- +goose Up
-- Refunds that fail after they succeeded: the ledger has a kind for the money that comes back, the refund keeps when it had succeeded, and the
-- sandbox processor's book has a line for it. Servers of the previous version write nothing that the new checks refuse. The migration waits at most 200 ms for each lock,
-- then lets running servers proceed and tries again.
-- +goose StatementBegin
CREATE OR REPLACE PROCEDURE let_refunds_fail_later() LANGUAGE plpgsql AS $$
DECLARE
    done boolean;
BEGIN
    CREATE OR REPLACE FUNCTION ledger_moves(kind text, debit text, credit text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $rules$
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
        ELSIF kind = 'refund_failed' THEN
            RETURN (debit, credit) IN (
            ('processor_receivable', 'merchant_pending'), ('processor_receivable', 'merchant_available'),
            ('merchant_pending', 'merchant_available'));
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
    END $rules$;
    COMMIT;
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE refunds DROP CONSTRAINT IF EXISTS refunds_check1, DROP CONSTRAINT IF EXISTS refunds_succeeded,
                ADD CONSTRAINT refunds_succeeded CHECK (CASE status WHEN 'succeeded' THEN succeeded_at IS NOT NULL
                    WHEN 'failed' THEN true ELSE succeeded_at IS NULL END) NOT VALID;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock refunds in 200 attempts; run the migration again';
    END IF;
    FOR attempt IN 1..200 LOOP
        BEGIN
            SET LOCAL lock_timeout = '200ms';
            ALTER TABLE sandbox_processor_book DROP CONSTRAINT IF EXISTS sandbox_processor_book_kind_check,
                ADD CONSTRAINT sandbox_processor_book_kind_check CHECK (kind IN ('authorize', 'debit', 'capture', 'void', 'refund',
                    'refund_failed', 'payout', 'respond')) NOT VALID;
            done := true;
        EXCEPTION WHEN lock_not_available OR deadlock_detected THEN
            done := false;
        END;
        COMMIT;
        EXIT WHEN done;
        PERFORM pg_sleep(0.5 + 0.5 * random());
    END LOOP;
    IF NOT done THEN
        RAISE EXCEPTION 'could not lock the book of the sandbox processor in 200 attempts; run the migration again';
    END IF;
    -- Reading every row takes no lock that a server waits for.
    ALTER TABLE refunds VALIDATE CONSTRAINT refunds_succeeded;
    COMMIT;
    ALTER TABLE sandbox_processor_book VALIDATE CONSTRAINT sandbox_processor_book_kind_check;
END $$;
-- +goose StatementEnd
CALL let_refunds_fail_later();
DROP PROCEDURE let_refunds_fail_later();
