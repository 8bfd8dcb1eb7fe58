// How much a donor gives who covers the fees: what internal/daf/quote.go computes. Both read one test table.
// Amounts are cents, rates thousandths of a percent (2 % is 2000), and every product stays below 2^53.

const ALL = 100_000;
const DOLLAR = 100;
const MOST = 99_999_900;

/** What the provider keeps of an integrated donation. */
export const PROVIDER_RATE = 2900;

/** A percentage of at most three decimal places as a rate. */
export const rateOf = (percentage: number): number => Math.round(percentage * 1000);

/**
 * The smallest donation of whole dollars that leaves at least the goal (one cent or more) when a fee of each rate is
 * taken of it, each rounded half up on its own; undefined when no donation does.
 */
export function cover(goal: number, rates: readonly number[]): number | undefined {
  const left = rates.reduce((rest, rate) => rest - rate, ALL);
  if (left <= 0 || goal > MOST) return undefined;
  const low = Math.floor((Math.max(goal - rates.length, 0) * ALL) / left);
  for (let amount = Math.max(low - (low % DOLLAR), DOLLAR); amount <= MOST; amount += DOLLAR) {
    const fees = rates.reduce((sum, rate) => sum + Math.floor((amount * rate + ALL / 2) / ALL), 0);
    if (amount - fees >= goal) return amount;
  }
  return undefined;
}
