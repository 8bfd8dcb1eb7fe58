-- +goose Up
-- By what an erasure finds the payer in what has no index by the address yet.
CREATE INDEX daf_workflows_by_email ON daf_workflows (application_id, lower(donor->>'email')) WHERE donor->>'email' <> '';
CREATE INDEX receipts_by_email ON receipts (application_id, lower(email));

-- The number of an account that a payer authorized lies sealed as the vault seals one, under a data key of its own; what else
-- is needed to make the token, as other secrets do. So sealed has nothing any more: what a program of before put there can
-- become a token with that program alone, within its 15 minutes. email is by whom an erasure, token_id by which token's end what
-- is sealed is forgotten.
ALTER TABLE bank_links
    ADD COLUMN wrapped_key bytea,
    ADD COLUMN number bytea,
    ADD COLUMN details bytea,
    ADD COLUMN email text,
    ADD COLUMN token_id uuid,
    ADD CHECK (num_nulls(wrapped_key, number, details) IN (0, 3)),
    ADD CHECK (state = 'authorized' OR num_nonnulls(wrapped_key, email, token_id) = 0);
CREATE INDEX bank_links_by_email ON bank_links (application_id, lower(email)) WHERE email IS NOT NULL;
CREATE INDEX bank_links_by_token ON bank_links (token_id) WHERE token_id IS NOT NULL;

-- Numbers of merchants' accounts were kept before the accounts were: those that never became one are nobody's. One that is
-- becoming an account now, by a program of before, is left.
WITH nobodys AS (
    UPDATE tokens t SET status = 'deleted', version = version + 1, updated_at = now()
    WHERE t.entry_mode = 'payout_account' AND t.status <> 'deleted' AND t.created_at < now() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM merchant_bank_accounts a WHERE a.application_id = t.application_id AND a.merchant_id = t.merchant_id AND a.token_id = t.id)
    RETURNING t.id
)
DELETE FROM vault_keys WHERE token_id IN (SELECT id FROM nobodys);
