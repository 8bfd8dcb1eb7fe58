import type { Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import type { Setup } from '../shared/protocol';
import { TokenField, type Host } from './field';
import { ignored } from './notice';
import { clean, schemeOf, type Options } from './options';
import { loadPart } from './part';
import { centsOf } from './price';
import { loadScript } from './script';

/** What a wallet's button and sheet work with: as much of the field as they need to know. */
export interface WalletSeat {
  type: WalletType;
  /** Where the button goes. */
  root: ShadowRoot;
  setup: Setup;
  /** As the field has them now. */
  options(): Options;
  /** Of the page around the button, now. */
  scheme(): 'light' | 'dark';
  /** Puts a script of the wallet into the page. */
  loadScript(src: string): Promise<void>;
  ask(name: string, body: unknown): Promise<any>;
  emit(event: string, body: object): void;
  focused(on: boolean): void;
  /** Reports an error; `lost` if there is no button, because a script of the wallet did not load. */
  failed(error: PayError, lost?: boolean): void;
}

/** A wallet's button in a page, and the sheet that it opens. */
export interface Wallet {
  /** Takes on options, or the color scheme, that have changed. */
  update(): void;
  focus(): void;
  /** Makes a token of what the payer authorized last; rejects with a PayError. */
  tokenize(billing: Record<string, unknown>): Promise<SvcPay.TokenResult>;
  /** Ends whatever goes on. */
  remove(): void;
}

/** What the part of a wallet offers. */
export interface WalletPart {
  open(seat: WalletSeat): Wallet;
}

export type WalletType = 'walletA' | 'walletB';

const OPTIONS = ['cardNetworks', 'buttonSizeMode', 'price', 'disabled'];

/**
 * The button of a wallet. It is in the page's own document, not in a frame: wallets want the payer's click there.
 * What is drawn and asked of the wallet is a part of its own, loaded with the first mount.
 */
export class WalletField extends TokenField {
  declare readonly type: WalletType;
  #wallet: Wallet | undefined;
  #own: string[];
  #host: Element | undefined;

  constructor(host: Host, type: WalletType, options: Options) {
    super(host, { type, method: type === 'walletA' ? 'wallet_a' : 'wallet_b', path: '', title: '', box: {} });
    this.#own = [...OPTIONS, `${type}Element`, ...(type === 'walletA' ? ['label', 'storeName'] : [])];
    this.updateField(options);
  }

  override mount(target: string | Element | undefined = this.options[`${this.type}Element`]): void {
    super.mount(target);
  }

  /** What the sheet shows, as "25.00"; without a price it does not open. */
  setPrice(price: string): void {
    delete this.options.price; // An invalid price does not leave the one before.
    centsOf(price);
    this.options.price = price;
  }

  override updateField(options: Options): void {
    const { price, ...mine } = clean(options);
    for (const name of ignored(mine, this.#own, this.type)) delete mine[name];
    super.updateField(mine);
    this.#wallet?.update();
    if (price !== undefined) this.setPrice(price);
  }

  override unmount(): void {
    super.unmount();
    this.#wallet?.remove();
    this.#wallet = undefined;
    this.#host?.remove();
  }

  override focus(): void {
    this.#wallet?.focus();
  }

  override async tokenize(tokenData: unknown): Promise<SvcPay.TokenResult> {
    if (!this.#wallet)
      throw fault('field_not_authorized', 'The payer has not authorized a payment with the wallet yet.');
    return this.#wallet.tokenize(clean(tokenData));
  }

  protected override render(container: Element): void {
    if (this.type === 'walletA' && SVCPAY_VERSION < '1.2') {
      return this.events.emit('walletAIncompatible', { reason: 'version_unsupported' });
    }
    const element = (this.#host = document.createElement('div'));
    // In a shadow tree: the page's styles do not reach the button, and need no exception in the page's policy.
    const root = element.attachShadow({ mode: 'open' });
    container.append(element);
    const here = () => this.#host === element && !!this.container;
    const seat: WalletSeat = {
      type: this.type,
      root,
      setup: this.host.setup,
      options: () => this.options,
      scheme: () => schemeOf(element),
      loadScript,
      ask: (name, body) => this.host.ask(name, body),
      emit: (name, body) => here() && this.events.emit(name, body),
      focused: (on) => here() && this.focused(on),
      failed: (error, lost) => {
        if (!here()) return;
        if (lost) element.remove();
        this.failed(error, lost);
      },
    };
    loadPart<WalletPart>(this.host.payOrigin, this.type).then(
      (part) => here() && (this.#wallet = part.open(seat)),
      (error: PayError) => seat.failed(error, true),
    );
  }

  protected override handlers(): Handlers {
    return {};
  }
}
