import { fault, type PayError } from '../shared/errors';

/** The six fields of the form as customizeFields names them, in the order in which a payer meets them. */
export const FIELDS = [
  'account_holder_first_name',
  'account_holder_last_name',
  'email',
  'account_type',
  'routing_number',
  'account_number',
] as const;
export type FieldName = (typeof FIELDS)[number];
export type PlainName = Exclude<FieldName, 'routing_number' | 'account_number'>;

/** What stands for the English words below, by their names; what is missing stays English. */
export type Dictionary = Record<string, string>;

/** The words of a field that the page can replace. */
export interface Words {
  label: string;
  placeholder: string;
}

const WORDS: Record<FieldName, Words> = {
  account_holder_first_name: { label: 'First name of the account holder', placeholder: '' },
  account_holder_last_name: { label: 'Last name of the account holder', placeholder: '' },
  email: { label: 'Email', placeholder: '' },
  account_type: { label: 'Account type', placeholder: 'Choose one' },
  routing_number: { label: 'Routing number', placeholder: 'Nine digits' },
  account_number: { label: 'Account number', placeholder: '' },
};

/** The words of a field in the language of a dictionary. */
export function wordsOf(name: FieldName, dictionary: Dictionary): Words {
  const { label, placeholder } = WORDS[name];
  return { label: dictionary[`label_${name}`] ?? label, placeholder: dictionary[`placeholder_${name}`] ?? placeholder };
}

/** The kinds of account, by what the service calls them. */
export const ACCOUNT_TYPES = { checking: 'Checking', savings: 'Savings' };

/** Where the service looks for each plain field, which errors name. */
export const MEMBERS: Record<PlainName, string> = {
  account_holder_first_name: 'billing.first_name',
  account_holder_last_name: 'billing.last_name',
  email: 'billing.email',
  account_type: 'bank_account.account_type',
};

const MESSAGES: Record<string, string> = {
  incomplete_account_holder_name: 'Enter the first and last name of the account holder.',
  invalid_account_holder_name: 'Enter a valid name.',
  incomplete_email: 'Your email address is incomplete.',
  invalid_email: 'Your email address is not valid.',
  incomplete_account_type: 'Choose checking or savings.',
  invalid_account_type: 'Choose checking or savings.',
  mandate_not_accepted: 'Please accept the authorization to debit your account.',
};

/** A verdict on what is in a field: the code of what is wrong, and whether typing on can mend it. */
export interface Verdict {
  code: string;
  possible: boolean;
}

/** Judges the text of a plain field; undefined for one that can be sent. */
export function judge(name: PlainName, text: string): Verdict | undefined {
  switch (name) {
    case 'email':
      return judgeEmail(text);
    case 'account_type':
      if (!text) return { code: 'incomplete_account_type', possible: true };
      return Object.hasOwn(ACCOUNT_TYPES, text) ? undefined : { code: 'invalid_account_type', possible: false };
    default:
      if (!text) return { code: 'incomplete_account_holder_name', possible: true };
      if (text.length > 255) return { code: 'invalid_account_holder_name', possible: false };
      // The service's own rule: "3M" and "Smith 3rd" are names.
      return /\p{L}/u.test(text) ? undefined : { code: 'invalid_account_holder_name', possible: true };
  }
}

function judgeEmail(text: string): Verdict | undefined {
  if (/\s|@.*@|^@|\.\.|[<>,;]/.test(text) || text.length > 254) return { code: 'invalid_email', possible: false };
  return /^[^@]+@[^@.]+(\.[^@.]+)+$/.test(text) ? undefined : { code: 'incomplete_email', possible: true };
}

/** The error of a code as the page is told it. */
export function errorOf(code: string, field: string, dictionary: Dictionary): PayError {
  return fault(code, dictionary[code] ?? MESSAGES[code]!, 'validation_error', field);
}
