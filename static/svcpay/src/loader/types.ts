import { CARD_INPUTS, type CardType } from '../shared/protocol';
import { AcssField } from './acss';
import { BankField } from './bank';
import { CardField } from './card';
import { DafField } from './daf';
import type { Field, Host } from './field';
import type { Method } from './method';
import { raise } from './notice';
import type { Options } from './options';
import { WalletField } from './wallet';

interface FieldType {
  method: Method;
  /** The first version of the library that has it. Versions compare as text. */
  since: string;
  make(host: Host, options: Options): Field;
}

const card = (type: string): FieldType => ({
  method: 'cc',
  since: '1.1',
  make: (host, options) => new CardField(host, type as CardType, options),
});

const TYPES: Record<string, FieldType> = {
  ...Object.fromEntries(Object.keys(CARD_INPUTS).map((type) => [type, card(type)])),
  // Version 1.1 has a field of wallet A, too, which says that it is not compatible.
  walletA: { method: 'wallet_a', since: '1.1', make: (host, options) => new WalletField(host, 'walletA', options) },
  walletB: { method: 'wallet_b', since: '1.1', make: (host, options) => new WalletField(host, 'walletB', options) },
  bankaccount: { method: 'ach', since: '1.1', make: (host, options) => new BankField(host, options) },
  acssDebit: { method: 'acss', since: '3.0', make: (host, options) => new AcssField(host, options) },
  daf: { method: 'daf', since: '3.2', make: (host, options) => new DafField(host, options) },
};

/** What a field type is; throws for one that this version does not have. */
export function typeOf(type: string): FieldType {
  const name = JSON.stringify(type);
  if (!Object.hasOwn(TYPES, type))
    raise('payment_method_disabled', `There is no field type ${name}. Types: ${Object.keys(TYPES).join(', ')}.`);
  const found = TYPES[type]!;
  if (SVCPAY_VERSION < found.since)
    raise(
      'version_unsupported',
      `The field type ${name} needs svcpay.js ${found.since}; this page loads ${SVCPAY_VERSION}.`,
    );
  return found;
}
