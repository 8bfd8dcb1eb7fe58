import type { PayError } from './errors';

/** The one window message of a page to a frame; the port that comes with it carries the rest. */
export const HELLO = 'svcpay:hello';

/** The one window message of a field frame to the controller frame of its instance. */
export const JOIN = 'svcpay:join';

/**
 * The channel on which a controller frame calls the field frames of its instance: they join, again if need be. Where
 * there are no channels, it is a window message to all frames of this origin.
 */
export const GATHER = 'svcpay:gather';

/** The field types of this version, each a set of inputs in one frame. */
export const CARD_INPUTS = {
  card: ['number', 'expiry', 'cvc', 'postal_code'],
  cardNumber: ['number'],
  cardExpiration: ['expiry'],
  cardCvc: ['cvc'],
} as const satisfies Record<string, readonly InputName[]>;

export type CardType = keyof typeof CARD_INPUTS;
export type InputName = 'number' | 'expiry' | 'cvc' | 'postal_code';

/** What a page may know about a field: never a digit of what was typed. */
export interface FieldState {
  empty: boolean;
  complete: boolean;
  error?: PayError;
}

/** What a field hands to its controller, and to no one else. */
export interface CardPart {
  number?: string;
  exp_month?: number;
  exp_year?: number;
  cvc?: string;
  postal_code?: string;
  /** Set when number and expiry come from the card's stripe. */
  entry_mode?: 'swiped';
}

/** What one frame of a split card has for the others: a browser filled all in there, or the card was swiped. */
export interface Fill {
  /** Digits by input; an expiry in any notation. */
  values: Partial<Record<InputName, string>>;
  /** Whether security and postal code can be left out. */
  swiped?: boolean;
}

/** A number of a bank account, typed into a frame of its own. */
export type BankNumber = 'routing_number' | 'account_number';
export type BankPart = Partial<Record<BankNumber, string>>;

/** A field's answer when the controller collects. */
export interface Collected {
  values: CardPart | BankPart;
  /** One for each input that cannot be used as it is. */
  errors: PayError[];
}

/** What the controller tells a field that joins, so that it suits merchant and card. */
export interface Joined {
  /** The merchant's. */
  country: string;
  /**
   * The countries whose payers can leave the postal code empty, with "" if a payer of an unknown country can; missing
   * in controllers of earlier patches.
   */
  without?: string[];
  /** The time by the service's clock in milliseconds; missing in controllers of earlier patches. */
  now?: number;
  brand: string;
  locale: string;
  /** What stands for the English words, by their names; empty for English. */
  words: Record<string, string>;
}

/** What the fields of a page need to know of their merchant; the page itself is not told. */
export interface Setup {
  /** Whose form takes bank accounts: "p", "q", or empty. */
  bankProcessor: string;
  merchant: { id: number; name: string; country: string; currency: string };
  wallets: WalletSetup;
  /** What the payer of a bank account agrees to in a form of the page; null where that happens elsewhere. */
  mandate: Mandate | null;
}

/**
 * Where the wallets' scripts are, and what the wallets know the service by; a wallet that is not set up is left out.
 */
export interface WalletSetup {
  a?: {
    /** Defines ApplePaySession where the browser has none; empty for none. */
    script: string;
  };
  b?: {
    /** Defines google.payments.api. */
    script: string;
    environment: 'TEST' | 'PRODUCTION';
    gateway: string;
    /** What the gateway knows the merchant by. */
    gateway_merchant_id: string;
    /** What the wallet's provider knows the service by; empty in a sandbox. */
    merchant_id: string;
  };
}

/** The exact words of a mandate, and their version. */
export interface Mandate {
  text: string;
  version: string;
}

/** What a page asks the controller for one token of a bank account; the numbers come from the frames. */
export interface BankRequest {
  fields: string[];
  account_type: string;
  mandate: { accepted: boolean; version: string };
  country: string;
  billing: Record<string, string>;
}

/** What a page asks the controller for one token. */
export interface TokenRequest {
  fields: string[];
  /** The page's, which the controller checks. */
  billing: unknown;
}

/** What a page asks the controller for the token of a wallet's payload. */
export interface WalletRequest {
  type: 'walletA' | 'walletB';
  /** As the wallet gave it. */
  payload: unknown;
  billing: Record<string, string>;
  /** One for each authorization: asked again, the service answers the same token. */
  key: string;
}

/** What a page asks the controller for one session with wallet A. */
export interface WalletARequest {
  validationURL: string;
  displayName: string;
}

/** What a page asks the controller for one DAF modal. */
export interface DafRequest {
  /** Cents. */
  amount: number;
  /** As the page gave it. */
  customerDetail: unknown;
  /** The page's colors, which the modal takes on. */
  scheme: 'light' | 'dark';
  /** BCP 47. */
  locale: string;
}

/** What a page asks the controller for one modal in which a payer gives a bank account. */
export interface LinkRequest {
  scheme: 'ach' | 'acss';
  /** BCP 47. */
  locale: string;
  color_scheme: 'light' | 'dark';
}

/** What a page asks the controller for the token of what a payer authorized in that modal. */
export interface RedeemRequest {
  authorization: string;
  /** One for each authorization: asked again, the service answers the same token. */
  key: string;
  /** Of the account, from loaders that take it out of the billing details; else empty. */
  country: string;
  /** The page's, which the controller checks. */
  billing: unknown;
}

/** What that modal's last page tells. */
export interface LinkResult {
  outcome: 'authorized' | 'canceled';
  authorization?: string;
}

/** What the modal's last page tells: authorized with exactly one of the ids, or canceled. */
export interface DafResult {
  outcome: 'authorized' | 'canceled';
  workflowSessionId?: string;
  grantId?: string;
  /** Cents. */
  amount?: number;
  user?: { firstName?: string; lastName?: string; email?: string; note?: string };
}
