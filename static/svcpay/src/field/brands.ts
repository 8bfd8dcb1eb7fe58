import creditCardType from 'credit-card-type';

/** Brands as the library and the API spell them, by the detector's names. */
const BRANDS: Record<string, string> = {
  visa: 'visa',
  mastercard: 'mastercard',
  'american-express': 'amex',
  discover: 'discover',
  'diners-club': 'diners_club',
  jcb: 'jcb',
};

// Regional brands inside the ranges of an accepted one: abroad such a card is of the accepted brand.
for (const regional of ['elo', 'troy', 'verve', 'naranja', 'hiper', 'hipercard']) creditCardType.removeCard(regional);
// Lengths and ranges of which no cards are issued; what the service takes is the same.
creditCardType.updateCard('visa', { lengths: [16, 19] });
creditCardType.updateCard('jcb', { patterns: [[3528, 3589]] });
creditCardType.updateCard('maestro', { patterns: [[500000, 509999], [56, 58], 63, 67] });

export interface Brand {
  /** One of the brands of the cardbrand event, or "none" as long as it is not determined. */
  name: string;
  /** How the number is grouped, for the formatter. */
  pattern: string;
  /** The lengths a security code can have. */
  cvcLengths: number[];
  /** False once the digits can only be of a brand that is not accepted. */
  accepted: boolean;
}

/** What the first digits say about a card. */
export function brandOf(digits: string): Brand {
  const candidates = creditCardType(digits);
  const only = candidates.length === 1 ? candidates[0] : undefined;
  const name = (only && BRANDS[only.type]) || 'none';
  return {
    name,
    pattern: only ? pattern(only.gaps, Math.max(...only.lengths)) : pattern([4, 8, 12, 16], 19),
    cvcLengths: cvcLengths(name),
    accepted: candidates.length === 0 || candidates.some(({ type }) => type in BRANDS),
  };
}

/** The lengths a security code of a brand can have; both while the brand is unknown. */
export function cvcLengths(brand: string): number[] {
  return brand === 'amex' ? [4] : brand === 'none' ? [3, 4] : [3];
}

function pattern(gaps: readonly number[], length: number): string {
  const bounds = [0, ...gaps.filter((gap) => gap < length), length];
  return bounds.slice(1).map((end, at) => `{{${'9'.repeat(end - bounds[at]!)}}}`).join(' ');
}
