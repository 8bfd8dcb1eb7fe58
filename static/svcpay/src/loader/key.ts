import { raise } from './notice';

/** Refuses what is no public key; above all a secret one, which by now everybody can read in the page. */
export function checkKey(key: unknown): void {
  if (typeof key !== 'string' || !key) raise('invalid_public_key', 'SvcPay needs a public API key.');
  if (/^[sr]k_/.test(key)) {
    raise(
      'invalid_public_key',
      'This is a secret API key, and this page shows it to everybody. Revoke it at once in the portal, under Developers, and use a public key (pk_…) here.',
    );
  }
}
