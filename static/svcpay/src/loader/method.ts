/** A payment method, as canMakePayments names it. */
export type Method = 'cc' | 'ach' | 'acss' | 'wallet_a' | 'wallet_b' | 'daf';
