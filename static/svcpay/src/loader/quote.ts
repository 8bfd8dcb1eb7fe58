import { cover, PROVIDER_RATE, rateOf } from '../shared/gross-up';
import { raise } from './notice';

export interface QuoteOptions {
  cover?: 'service' | 'all';
  servicePercentage?: number;
}

/** SvcPay.dafQuote: what a donor gives who covers the fees, in cents. */
export function dafQuote(
  amount: number,
  { cover: which = 'service', servicePercentage = 2 }: QuoteOptions = {},
): number {
  if (!Number.isSafeInteger(amount) || amount < 1)
    raise('invalid_amount', 'dafQuote takes an amount in cents, a positive integer.');
  if (which !== 'service' && which !== 'all') raise('invalid_cover', 'dafQuote covers "service" or "all" fees.');
  if (!(servicePercentage >= 0 && servicePercentage < 100))
    raise('invalid_percentage', 'servicePercentage must be from 0 to below 100.');
  const rates = [rateOf(servicePercentage), ...(which === 'all' ? [PROVIDER_RATE] : [])];
  return cover(amount, rates) ?? raise('invalid_amount', 'No donation is large enough to leave that amount.');
}
