import { fault } from './errors';

const MEMBERS =
  'first_name middle_name last_name address_line_1 address_line_2 address_city address_state address_zip address_country email phone'.split(
    ' ',
  );

/** The billing details of createToken's second argument; throws a PayError that names a wrong member. */
export function billingOf(tokenData: unknown): Record<string, string> {
  if (tokenData === undefined || tokenData === null) return {};
  if (typeof tokenData !== 'object') throw fault('invalid_token_data', 'tokenData must be an object.');
  const billing: Record<string, string> = {};
  for (const [name, value] of Object.entries(tokenData)) {
    if (!MEMBERS.includes(name)) console.warn(`[SvcPay] tokenData.${name} does not apply here and is ignored.`);
    else if (value !== undefined && value !== null) {
      const text = textOf(name, value);
      if (text) billing[name] = text;
    }
  }
  return billing;
}

/** The same of a bank account, whose country may be told, too. */
export function bankDataOf(tokenData: unknown): { country: string; billing: Record<string, string> } {
  if (typeof tokenData !== 'object' || tokenData === null) return { country: '', billing: billingOf(tokenData) };
  const { country, ...rest } = tokenData as Record<string, unknown>;
  const text = tidy(String(country ?? ''));
  if (text && !/^[a-z]{2}$/i.test(text)) {
    throw fault(
      'invalid_token_data',
      'tokenData.country must be a two-letter ISO country code.',
      'validation_error',
      'country',
    );
  }
  return { country: text.toUpperCase(), billing: billingOf(rest) };
}

function textOf(name: string, value: unknown): string {
  const given = typeof value === 'number' && name === 'phone' ? String(value) : value;
  if (typeof given !== 'string') throw invalid(name, 'must be a string');
  const text = tidy(given);
  if (name !== 'address_country' || !text) return text;
  if (!/^[a-z]{2}$/i.test(text)) throw invalid(name, 'must be a two-letter ISO country code');
  return text.toUpperCase();
}

/** A text as people paste it, without white space at its ends and with one space for each run of it inside. */
function tidy(text: string): string {
  return text.trim().replace(/\s+/g, ' ');
}

function invalid(name: string, rule: string) {
  return fault('invalid_token_data', `tokenData.${name} ${rule}.`, 'validation_error', `billing.${name}`);
}
