// Types of svcpay.js 3.2, for pages that load it with <script src="…/3.2/svcpay.js">.

/** The payment library of one merchant on one page. Each payment type needs an instance of its own. */
declare class SvcPay {
  /** The version in the script's address, for example "3.2". */
  static readonly version: string;
  /**
   * What a donor gives who covers the fees of a DAF donation: the smallest amount of whole dollars that leaves
   * `amount`. Both are cents.
   * @throws {SvcPay.PayError} for an amount that is no positive integer, or too large
   */
  static dafQuote(amount: number, options?: SvcPay.DafQuoteOptions): number;
  /**
   * @param apiKey the public key of the environment the script was loaded from
   * @param merchantId the merchant that is paid
   * @throws {SvcPay.PayError} an integration_error when an argument is missing
   */
  constructor(apiKey: string, merchantId: string | number, options?: SvcPay.Options);
  /** Why the last canMakePayments or mount failed. */
  lastError: SvcPay.PayError | null;
  /** What the merchant can take, or false (then hide the form; see lastError). Must complete before any mount. */
  canMakePayments(): Promise<SvcPay.Capabilities | false>;
  /**
   * @throws {SvcPay.PayError} for a type that this version of the service does not offer, or one of another
   * payment type than the instance's first field
   */
  createField(type: 'card', options?: SvcPay.CardOptions): SvcPay.Field;
  createField(type: SvcPay.SplitFieldType, options?: SvcPay.SplitFieldOptions): SvcPay.Field;
  createField(type: 'bankaccount', options?: SvcPay.BankOptions): SvcPay.BankField;
  createField(type: 'acssDebit', options?: SvcPay.AcssOptions): SvcPay.AcssField;
  createField(type: 'daf', options?: SvcPay.DafOptions): SvcPay.DafField;
  createField(type: 'walletA', options?: SvcPay.WalletAOptions): SvcPay.WalletAField;
  createField(type: 'walletB', options?: SvcPay.WalletBOptions): SvcPay.WalletBField;
  /** Turns what was typed into a token. Always resolves; of split fields any mounted one may be passed. */
  createToken(
    field: SvcPay.Field | SvcPay.WalletAField | SvcPay.WalletBField,
    tokenData?: SvcPay.TokenData,
  ): Promise<SvcPay.TokenResult>;
  createToken(
    field: SvcPay.BankField | SvcPay.AcssField,
    tokenData?: SvcPay.BankTokenData,
  ): Promise<SvcPay.BankTokenResult>;
  /** Removes every frame; the instance cannot be used again. */
  destroy(): void;
}

interface Window {
  SvcPay: typeof SvcPay;
}

declare namespace SvcPay {
  type SplitFieldType = 'cardNumber' | 'cardExpiration' | 'cardCvc';
  type CardFieldType = 'card' | SplitFieldType;
  /** The languages of the library; another regional one becomes its language. */
  type Locale = 'en' | 'es' | 'fr' | 'fr-CA';
  type FieldType = CardFieldType | 'bankaccount' | 'acssDebit' | 'daf' | 'walletA' | 'walletB';
  /** What a merchant can accept: cards, bank accounts, debits in Canada, wallets, donor-advised funds. */
  type Method = 'cc' | 'ach' | 'acss' | 'wallet_a' | 'wallet_b' | 'daf';
  type Brand = 'amex' | 'discover' | 'diners_club' | 'jcb' | 'mastercard' | 'visa' | 'none';

  interface Options {
    /** Takes cards by a magnetic stripe reader that types; the page must have a button with the id "swipe". */
    swipe?: boolean;
    /** The language of fields and modals: "auto" is the browser's; the page's by default. */
    locale?: Locale | 'auto' | (string & {});
  }

  interface Capabilities {
    livemode: boolean;
    /** Two-letter ISO country code of the merchant. */
    country: string;
    /** Lowercase ISO currency code. */
    currency: string;
    methods: Record<Method, boolean>;
  }

  /** The codes of errors. Later patches can add codes: handle an unknown one as a failure. */
  type ErrorCode =
    | 'incomplete_number' | 'invalid_number' | 'unsupported_brand' | 'incomplete_expiry' | 'invalid_expiry'
    | 'invalid_expiry_month_past' | 'invalid_expiry_year_past' | 'incomplete_cvc' | 'incomplete_postal_code'
    | 'invalid_postal_code' | 'invalid_cvc' | 'invalid_email' | 'invalid_token_data' | 'swipe_unreadable'
    | 'swipe_tracks_disagree' | 'swipe_timeout' | 'swipe_button_missing' | 'frame_timeout' | 'frame_unavailable'
    | 'script_blocked' | 'frame_blocked' | 'mount_target_missing' | 'not_ready' | 'field_not_mounted' | 'version_unsupported'
    | 'daf_has_no_token' | 'payment_type_conflict' | 'invalid_price' | 'price_required' | 'invalid_amount'
    | 'invalid_cover' | 'invalid_percentage' | 'invalid_handler' | 'invalid_public_key' | 'merchant_not_found'
    | 'public_key_revoked' | 'environment_mismatch' | 'origin_not_allowed' | 'payment_method_disabled'
    | 'rate_limited' | 'network_error' | 'timeout' | 'internal_error' | 'incomplete_account_holder_name'
    | 'invalid_account_holder_name' | 'incomplete_email' | 'incomplete_account_type' | 'invalid_account_type'
    | 'incomplete_routing_number' | 'invalid_routing_number' | 'incomplete_account_number'
    | 'invalid_account_number' | 'incomplete_institution_number' | 'invalid_institution_number'
    | 'incomplete_transit_number' | 'invalid_transit_number' | 'field_not_authorized' | 'authorization_expired'
    | 'mandate_not_accepted' | 'wallet_signature_invalid' | 'wallet_payload_expired'
    | 'wallet_domain_not_registered' | 'network_not_supported';

  interface PayError {
    message: string;
    code: ErrorCode;
    type:
      | 'validation_error' | 'card_error' | 'wallet_error' | 'authentication_error' | 'invalid_request_error'
      | 'rate_limit_error' | 'api_connection_error' | 'api_error' | 'integration_error' | (string & {});
    /** The input or member at fault, for example "card.number". */
    field?: string;
    /** Seconds after which a retry can succeed. */
    retry_after?: number;
    request_id?: string;
    /** The documentation of the code. Errors that an npm package reports before it knows the pay origin have none. */
    doc_url?: string;
  }

  interface TextStyle {
    color?: string;
    fontFamily?: string; fontSize?: string; fontSmoothing?: string; fontStyle?: string; fontVariant?: string;
    fontWeight?: string | number;
    letterSpacing?: string;
    textAlign?: string; textDecoration?: string; textShadow?: string; textTransform?: string;
  }

  interface VariantStyle extends TextStyle {
    ':hover'?: TextStyle; ':focus'?: TextStyle; ':disabled'?: TextStyle;
    '::placeholder'?: TextStyle;
  }

  /** The other variants inherit from base. */
  interface Style {
    base?: VariantStyle; complete?: VariantStyle; empty?: VariantStyle; invalid?: VariantStyle;
  }

  interface FieldOptions {
    style?: Style;
    hideBorders?: boolean;
    disabled?: boolean;
    /** Whether Enter submits the form around the field; true by default. */
    submitOnEnter?: boolean;
  }

  interface CardOptions extends FieldOptions {
    /** Number and expiration cannot be prefilled. */
    value?: { postalCode?: string };
    hidePostalCode?: boolean;
    /** The payer's country, two letters (ISO 3166-1): some have no postal codes. By default, it is guessed. */
    country?: string;
  }

  interface SplitFieldOptions extends FieldOptions {
    placeholder?: string;
  }

  interface ChangeEvent {
    empty: boolean;
    complete: boolean;
    /** Absent while there is nothing to correct. */
    error?: PayError;
  }

  interface FieldEvents {
    ready: object;
    /** Of cards and of the bank form; of a button only if it did not load. */
    change: ChangeEvent;
    focus: object;
    blur: object;
  }

  interface EventMap extends FieldEvents {
    cardbrand: { brand: Brand };
  }

  interface BaseField<Type extends FieldType, Events, Options> {
    readonly type: Type;
    on<E extends keyof Events>(event: E, handler: (event: Events[E]) => void): this;
    once<E extends keyof Events>(event: E, handler: (event: Events[E]) => void): this;
    /** Removes one handler, or all of the event. */
    off<E extends keyof Events>(event: E, handler?: (event: Events[E]) => void): this;
    /** Renders the field; mounting it a second time moves it. */
    mount(target: string | Element): void;
    /** Removes the field from the page (with a target, only if it is in it); handlers stay for the next mount. */
    unmountField(target?: string | Element): void;
    /** Merges options into those the field has. */
    updateField(options: Options): void;
    focus(): void;
  }

  interface Field extends BaseField<CardFieldType, EventMap, CardOptions & SplitFieldOptions> {
    clear(): void;
  }

  type BankFieldName =
    | 'account_holder_first_name' | 'account_holder_last_name' | 'email'
    | 'account_type' | 'account_number' | 'routing_number';

  interface BankOptions {
    style?: Style;
    disabled?: boolean;
    /** Whether Enter submits the form around the field; true by default. */
    submitOnEnter?: boolean;
    /** The words of the form at merchants of processor P. */
    customizeFields?: Partial<Record<BankFieldName, { label?: string; placeholder?: string }>>;
  }

  interface BankEventMap extends FieldEvents {
    /** With processor Q: the payer gave an account and agreed to debits. Make one token within 15 minutes. */
    achAuthorized: object;
  }

  interface AcssOptions {
    disabled?: boolean;
  }

  interface AcssEventMap extends FieldEvents {
    /** The payer has given an account and agreed to debits. A token can be made, once, within 15 minutes. */
    acssAuthorized: object;
  }

  /** The button that opens the modal for pre-authorized debits in Canada. */
  type AcssField = BaseField<'acssDebit', AcssEventMap, AcssOptions>;

  /** A bank account in the United States: a form at merchants of processor P, a button with a modal at those of Q. */
  interface BankField extends BaseField<'bankaccount', BankEventMap, BankOptions> {
    clear(): void;
  }

  /** Fills the modal in; the details that are kept come with POST /api/dafDonations. */
  interface CustomerDetail {
    /** Dollars and cents. What setPrice was told comes first. */
    amount?: number;
    firstName?: string;
    lastName?: string;
    email?: string;
    phone?: string;
    note?: string;
    address?: { line1?: string; line2?: string; city?: string; state?: string; postalCode?: string };
    metadata?: Record<string, string | number | boolean>;
    anonymous?: boolean;
  }

  interface DafOptions {
    customerDetail?: CustomerDetail;
    /** The same as setPrice. */
    price?: string;
    disabled?: boolean;
  }

  interface DafUser {
    firstName: string;
    lastName: string;
    email: string;
    note: string;
  }

  /** What POST /api/dafDonations takes; the donor may have changed the amount, in cents. */
  type DafAuthorizedEvent = { amount: number; user: DafUser } & (
    | { workflowSessionId: string; grantId?: undefined }
    | { grantId: string; workflowSessionId?: undefined }
  );

  interface DafEventMap extends FieldEvents {
    dafAuthorized: DafAuthorizedEvent;
    dafCanceled: object;
  }

  /** The button that opens the DAF modal. */
  interface DafField extends BaseField<'daf', DafEventMap, DafOptions> {
    /**
     * What the modal opens with, as "25.00"; required before it can open. Rounded up to whole dollars.
     * @throws {SvcPay.PayError} invalid_price for any other notation, and for zero; then there is no price
     */
    setPrice(price: string): void;
  }

  type CardNetwork = 'AMEX' | 'DISCOVER' | 'JCB' | 'MASTERCARD' | 'VISA';

  interface WalletOptions {
    /** All five by default. Ignored for merchants of processor Q; wallet A does not accept JCB in the United States. */
    cardNetworks?: CardNetwork[];
    /**
     * "default": 186 by 40 pixels at least; "fill": as large as the container. Wallet A's is 64 pixels high at most.
     */
    buttonSizeMode?: 'default' | 'fill';
    /** The same as setPrice. */
    price?: string;
    disabled?: boolean;
  }

  interface WalletAOptions extends WalletOptions {
    /** What the sheet says that is paid for. */
    label?: string;
    /** The payee that the sheet shows; the merchant's name by default. */
    storeName?: string;
    /** Where the button goes when mount is called without a target. */
    walletAElement?: string;
  }

  interface WalletBOptions extends WalletOptions {
    /** Where the button goes when mount is called without a target. */
    walletBElement?: string;
  }

  interface WalletAEventMap extends FieldEvents {
    walletAButtonClick: object;
    /** createToken can be called, within 25 seconds. */
    walletAAuthorized: object;
    walletACanceled: object;
    walletAIncompatible: { reason: 'version_unsupported' | 'device_unsupported' };
  }

  interface WalletBEventMap extends FieldEvents {
    walletBReady: object;
    walletBButtonReady: object;
    walletBButtonClick: object;
    /** createToken can be called, within 5 minutes. */
    walletBAuthorized: object;
    walletBIncompatible: { reason: 'device_unsupported' | 'account_unsupported' };
  }

  /** The button of a wallet, in the page's own document. */
  interface WalletField<Type extends 'walletA' | 'walletB', Events, Options> extends Omit<
    BaseField<Type, Events, Options>,
    'mount'
  > {
    /** Renders the button; without a target in the element that the options name. */
    mount(target?: string | Element): void;
    /**
     * What the sheet shows, as "25.00"; required before it can open.
     * @throws {SvcPay.PayError} invalid_price for any other notation; then there is no price
     */
    setPrice(price: string): void;
  }

  type WalletAField = WalletField<'walletA', WalletAEventMap, WalletAOptions>;
  type WalletBField = WalletField<'walletB', WalletBEventMap, WalletBOptions>;

  interface DafQuoteOptions {
    /** Whether the donor covers the fee of the service or the provider's, too; "service" by default. */
    cover?: 'service' | 'all';
    /** The merchant's daf_percentage; 2 by default. */
    servicePercentage?: number;
  }

  /** Billing details; they lower the risk of a decline. */
  interface TokenData {
    first_name?: string;
    middle_name?: string;
    last_name?: string;
    address_line_1?: string;
    address_line_2?: string;
    address_city?: string;
    address_state?: string;
    address_zip?: string;
    /** Two-letter ISO country code. */
    address_country?: string;
    email?: string;
    phone?: string | number;
  }

  interface BankTokenData extends TokenData {
    /** Two-letter ISO country code of the bank account; the merchant's by default. */
    country?: string;
  }

  interface BankAccount {
    bank_name: string;
    last4: string;
    account_type: 'checking' | 'savings';
    /** Only an active one can be charged. */
    status: 'active' | 'pending_verification';
  }

  interface BankToken {
    /** Goes into POST /api/charges. */
    token: `tok_${string}`;
    bank_account: BankAccount;
    billing: Record<string, string | null>;
    livemode: boolean;
    error?: undefined;
  }

  type BankTokenResult = BankToken | { error: PayError; token?: undefined };

  interface Card {
    brand: Brand;
    last4: string;
    exp_month: number;
    exp_year: number;
    funding: string | null;
    wallet: string | null;
    cardholder_name: string | null;
  }

  interface Token {
    /** Goes into POST /api/charges. */
    token: `tok_${string}`;
    card: Card;
    billing: Record<string, string | null>;
    livemode: boolean;
    error?: undefined;
  }

  type TokenResult = Token | { error: PayError; token?: undefined };
}
