import { CARD_INPUTS } from '../shared/protocol';
import { raise } from './notice';

/** A payment method, as canMakePayments names it. */
export type Method = 'cc' | 'daf';

interface FieldType {
  method: Method;
  /** The first version of the library that has it. Versions compare as text. */
  since: string;
}

const CARD: FieldType = { method: 'cc', since: '1.1' };

const TYPES: Record<string, FieldType> = {
  ...Object.fromEntries(Object.keys(CARD_INPUTS).map((type) => [type, CARD])),
  daf: { method: 'daf', since: '3.2' },
};

/** The payment method of a field type; throws for one that this version does not have. */
export function methodOf(type: string): Method {
  const name = JSON.stringify(type);
  if (!Object.hasOwn(TYPES, type)) raise('payment_method_disabled', `The field type ${name} is not offered by this version of the service.`);
  const { method, since } = TYPES[type]!;
  if (SVCPAY_VERSION < since) raise('version_unsupported', `The field type ${name} needs svcpay.js ${since}; this page loads ${SVCPAY_VERSION}.`);
  return method;
}
