import type { LoadOptions } from '@svcpay/js';
import type { ForwardRefExoticComponent, HTMLAttributes, JSX, ReactNode, RefAttributes, RefCallback } from 'react';

export interface SvcPayProviderProps extends LoadOptions {
  /** A public key, pk_…. */
  publicKey: string;
  merchant: string | number;
  /** The language of fields and modals; the page's by default. */
  locale?: SvcPay.Options['locale'];
  /** Accepts a card reader that acts as a keyboard; the page needs a button with the id "swipe". */
  swipe?: boolean;
  children?: ReactNode;
}

/**
 * One payment form. It loads svcpay.js, and fields inside it belong together: card number, expiration and security code
 * make one card. If publicKey, merchant, locale or another of these properties changes, the fields load again, empty.
 * origin and version can't change, because a page has one svcpay.js: another address results in an integration_error.
 */
export function SvcPayProvider(props: SvcPayProviderProps): JSX.Element;

/** Whether payments are possible, and by which methods. The fields' onError gets its error, too. */
export type Payments = {
  /** Tries again after an error. */
  retry(): void;
} & (
  | { status: 'loading'; can: null; error: null }
  | { status: 'ready'; can: SvcPay.Capabilities; error: null }
  | { status: 'unavailable'; can: null; error: SvcPay.PayError }
);

/** The state of the provider around the component; "loading" on a server. */
export function useSvcPay(): Payments;

interface AnyHandle {
  focus(): void;
  /** Why the field, a sheet or a modal failed last. */
  readonly lastError: SvcPay.PayError | null;
}

interface CanMakeTokens<Data, Result> {
  /**
   * Makes a token. It never rejects. If the field is unmounted first, the error is field_not_mounted, which you don't
   * need to show.
   */
  createToken(tokenData?: Data): Promise<Result>;
}

interface HasPrice {
  /**
   * The same as the option price; whichever was set last applies. It can be called before the field is ready, and holds
   * if the field loads again.
   */
  setPrice(price: string): void;
}

/** The value of a component's ref, and the second argument of each handler. */
export interface CardHandle extends AnyHandle, CanMakeTokens<SvcPay.TokenData, SvcPay.TokenResult> {
  clear(): void;
}
export interface BankAccountHandle extends AnyHandle, CanMakeTokens<SvcPay.BankTokenData, SvcPay.BankTokenResult> {
  clear(): void;
}
export type AcssDebitHandle = AnyHandle & CanMakeTokens<SvcPay.BankTokenData, SvcPay.BankTokenResult>;
export type DafHandle = AnyHandle & HasPrice;
export type WalletHandle = AnyHandle & CanMakeTokens<SvcPay.TokenData, SvcPay.TokenResult> & HasPrice;

type Handler<Event, Handle> = (event: Event, field: Handle) => void;

interface AnyEvents<Handle> {
  onReady?: Handler<object, Handle>;
  onFocus?: Handler<object, Handle>;
  onBlur?: Handler<object, Handle>;
  /** Of cards and of the bank form; of a button only if it did not load. */
  onChange?: Handler<SvcPay.ChangeEvent, Handle>;
  /** Why the field, its modal or its sheet failed. Not called for the payer's mistakes, which onChange reports. */
  onError?: Handler<SvcPay.PayError, Handle>;
}

export interface CardProps extends AnyEvents<CardHandle> {
  options?: SvcPay.CardOptions;
  onCardBrand?: Handler<{ brand: SvcPay.Brand }, CardHandle>;
}

export interface SplitFieldProps extends Omit<CardProps, 'options'> {
  options?: SvcPay.SplitFieldOptions;
}

export interface BankAccountProps extends AnyEvents<BankAccountHandle> {
  options?: SvcPay.BankOptions;
  /** With processor Q: call createToken. */
  onAuthorized?: Handler<object, BankAccountHandle>;
}

export interface AcssDebitProps extends AnyEvents<AcssDebitHandle> {
  options?: SvcPay.AcssOptions;
  onAuthorized?: Handler<object, AcssDebitHandle>;
}

export interface DafProps extends AnyEvents<DafHandle> {
  options?: SvcPay.DafOptions;
  onAuthorized?: Handler<SvcPay.DafAuthorizedEvent, DafHandle>;
  onCanceled?: Handler<object, DafHandle>;
}

interface WalletEvents extends AnyEvents<WalletHandle> {
  onButtonClick?: Handler<object, WalletHandle>;
  /** Call createToken. */
  onAuthorized?: Handler<object, WalletHandle>;
}

export interface WalletAProps extends WalletEvents {
  options?: Omit<SvcPay.WalletAOptions, 'walletAElement'>;
  onCanceled?: Handler<object, WalletHandle>;
  onIncompatible?: Handler<SvcPay.WalletAEventMap['walletAIncompatible'], WalletHandle>;
}

export interface WalletBProps extends WalletEvents {
  options?: Omit<SvcPay.WalletBOptions, 'walletBElement'>;
  onLoaded?: Handler<object, WalletHandle>;
  onButtonReady?: Handler<object, WalletHandle>;
  onIncompatible?: Handler<SvcPay.WalletBEventMap['walletBIncompatible'], WalletHandle>;
}

interface Props {
  card: CardProps;
  cardNumber: SplitFieldProps;
  cardExpiration: SplitFieldProps;
  cardCvc: SplitFieldProps;
  bankaccount: BankAccountProps;
  acssDebit: AcssDebitProps;
  daf: DafProps;
  walletA: WalletAProps;
  walletB: WalletBProps;
}

interface Handles {
  card: CardHandle;
  cardNumber: CardHandle;
  cardExpiration: CardHandle;
  cardCvc: CardHandle;
  bankaccount: BankAccountHandle;
  acssDebit: AcssDebitHandle;
  daf: DafHandle;
  walletA: WalletHandle;
  walletB: WalletHandle;
}

/**
 * A field in an element of your own: give the element `ref`. `ready` is true once the payer can use it, `error` is its
 * last failure until it works again.
 */
export function useField<Type extends SvcPay.FieldType>(type: Type, props?: Props[Type]): {
  ref: RefCallback<Element>;
  ready: boolean;
  error: SvcPay.PayError | null;
  field: Handles[Type];
};

/**
 * The container of a field: a <div> with the properties of one. A changed option changes the field. If an option is
 * left out later, the field loads again; a boolean option just returns to its default, without a
 * reload.
 */
type FieldComponent<Type extends SvcPay.FieldType> = ForwardRefExoticComponent<
  Omit<HTMLAttributes<HTMLDivElement>, keyof Props[Type] | 'children'> & Props[Type] & RefAttributes<Handles[Type]>
>;

export declare const CardField: FieldComponent<'card'>;
export declare const CardNumberField: FieldComponent<'cardNumber'>;
export declare const CardExpirationField: FieldComponent<'cardExpiration'>;
export declare const CardCvcField: FieldComponent<'cardCvc'>;
export declare const BankAccountField: FieldComponent<'bankaccount'>;
export declare const AcssDebitField: FieldComponent<'acssDebit'>;
export declare const DafField: FieldComponent<'daf'>;
export declare const WalletAField: FieldComponent<'walletA'>;
export declare const WalletBField: FieldComponent<'walletB'>;
