import type { Channel, Handlers } from '../svcpay/src/shared/channel';
import { fault } from '../svcpay/src/shared/errors';
import { openFrame, type Frame } from '../svcpay/src/loader/frame';

const STYLES = `
:host { all: initial; }
dialog {
  inset: 0; width: 100%; height: 100%; max-width: none; max-height: none; margin: auto; padding: 0; border: 0;
  overflow: hidden;
  background: Canvas; color-scheme: light dark;
}
dialog::backdrop { background: rgb(9 9 11 / 60%); }
iframe { display: block; width: 100%; height: 100%; border: 0; color-scheme: light dark; }
@media (min-width: 560px) {
  dialog {
    width: 420px; height: min(700px, calc(100% - 32px)); border-radius: 18px;
    box-shadow: 0 24px 64px rgb(0 0 0 / 35%);
  }
}
`.replace(/\n\s*/g, '');

/** What a sheet shows and seals, as the query of its address. */
export interface Shown {
  store: string;
  label: string;
  amount: string;
  currency: string;
  networks: string[];
  bound: string;
}

/** The pay origin is where this very file came from. */
export const ORIGIN = new URL((document.currentScript as HTMLScriptElement).src).origin;

/** A wallet's sheet over the page; whatever ends it, `closed` runs once, unless the page ended it. */
export class Sheet {
  #host = document.createElement('div');
  #dialog = document.createElement('dialog');
  #frame: Frame;
  #link: Channel | undefined;
  #ready: (() => void)[] = [];

  constructor(wallet: 'a' | 'b', { networks, ...shown }: Shown, handlers: Handlers, closed: () => void) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    const root = this.#host.attachShadow({ mode: 'open' });
    root.adoptedStyleSheets = [sheet];
    root.append(this.#dialog);
    document.body.append(this.#host);
    this.#dialog.ariaLabel = `Wallet ${wallet.toUpperCase()}`;
    this.#dialog.onclose = () => this.close() && closed();
    this.#dialog.showModal();
    this.#frame = openFrame(this.#dialog, {
      url: `${ORIGIN}/sandbox/wallet-${wallet}/sheet?${new URLSearchParams({ ...shown, networks: networks.join() })}`,
      title: `Wallet ${wallet.toUpperCase()}`,
      settings: () => undefined,
      handlers: { ...handlers, canceled: () => this.#dialog.close() },
      opened: (link) => {
        this.#link = link;
        this.#frame.element.focus();
        for (const run of this.#ready.splice(0)) run();
      },
      failed: (error) => error.code !== 'field_not_mounted' && this.#dialog.close(),
    });
  }

  /** Tells the sheet something, as soon as it is there. */
  tell(name: string, body: unknown): void {
    const send = () => this.#link!.send(name, body);
    if (this.#link) send();
    else this.#ready.push(send);
  }

  /** Takes it away; false if it is gone already. */
  close(): boolean {
    if (!this.#host.isConnected) return false;
    // Closed first, as that leads the keyboard back to where it was.
    this.#dialog.onclose = null;
    this.#dialog.close();
    this.#frame.close(fault('field_not_mounted', 'The sheet was closed.'));
    this.#host.remove();
    return true;
  }
}

let incompatible = new URLSearchParams(location.search).get('sandbox_wallet') === 'incompatible';

/**
 * Whether this device can pay: not on a page with ?sandbox_wallet=incompatible, nor after that was chosen in a sheet.
 */
export const compatible = (): boolean => !incompatible;

export function becomeIncompatible(): void {
  incompatible = true;
}
