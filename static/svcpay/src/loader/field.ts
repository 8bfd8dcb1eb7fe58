import type { Channel } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import type { CardType, FieldState } from '../shared/protocol';
import { uuid } from '../shared/random';
import { Events, type Handler } from './events';
import { openFrame, type Frame } from './frame';
import { complain } from './notice';
import { clean, merge, schemeOf, type Options } from './options';

/** What a field needs of the instance that made it. */
export interface Host {
  /** Why fields cannot mount now, if they cannot. */
  obstacle(): PayError | undefined;
  /** The address of a frame of this instance. */
  address(path: string, query: Record<string, string>): string;
  mounted: Set<Field>;
  /** Records an error as the instance's last one. */
  note(error: PayError): void;
  /** Tells the controller that a field has left the page. */
  dropped(id: string): void;
}

const TITLES: Record<CardType, string> = {
  card: 'Secure card details',
  cardNumber: 'Secure card number',
  cardExpiration: 'Secure expiration date',
  cardCvc: 'Secure security code',
};

const STATES = ['focus', 'empty', 'complete', 'invalid'] as const;

/** One payment field: a frame of the pay origin inside a container of the page. */
export class Field {
  readonly type: CardType;
  #host: Host;
  #options: Options;
  #events = new Events();
  #id = '';
  #frame: Frame | undefined;
  #link: Channel | undefined;
  #container: Element | undefined;
  #listening = new AbortController();

  constructor(host: Host, type: CardType, options: Options) {
    this.#host = host;
    this.type = type;
    this.#options = clean(options);
  }

  /** The id under which the controller knows this mounted and usable field, else empty. */
  get id(): string {
    return this.#link ? this.#id : '';
  }

  on(name: string, handler: Handler): this {
    this.#events.on(name, handler);
    return this;
  }

  once(name: string, handler: Handler): this {
    this.#events.once(name, handler);
    return this;
  }

  off(name: string, handler?: Handler): this {
    this.#events.off(name, handler);
    return this;
  }

  /** Renders the field in `target`; a field that is mounted elsewhere moves. */
  mount(target: string | Element): void {
    const obstacle = this.#host.obstacle();
    if (obstacle) return this.#failed(obstacle);
    const container = typeof target === 'string' ? find(target) : target;
    if (!(container instanceof Element)) return complain(`mount: no element matches ${JSON.stringify(target)}.`);
    this.unmountField();
    this.#id = uuid();
    this.#container = container;
    this.#host.mounted.add(this);
    container.classList.add('SvcPayField');
    this.#show({ empty: true, complete: false });
    this.#frame = openFrame(container, {
      url: this.#host.address('field', { t: this.type, f: this.#id }),
      title: TITLES[this.type],
      settings: () => this.#settings(),
      handlers: this.#handlers(),
      opened: (link) => {
        this.#link = link;
        this.#events.emit('ready', {});
      },
      failed: (error) => this.#failed(error),
    });
    // Through the style object: a style attribute would need the page's policy to allow it.
    Object.assign(this.#frame.element.style, { display: 'block', width: '100%', height: '46px', border: '0' });
    this.#listen(container);
  }

  /** Takes the field out of the page; handlers and options stay for the next mount. */
  unmountField(): void {
    if (!this.#container) return;
    this.#listening.abort();
    this.#host.mounted.delete(this);
    this.#host.dropped(this.#id);
    this.#container.classList.remove('SvcPayField', ...STATES.map((state) => `SvcPayField--${state}`));
    this.#container = this.#link = undefined;
    this.#frame!.close(fault('field_not_mounted', 'The field was unmounted.'));
  }

  /** Merges `options` into the field's own. */
  updateField(options: Options): void {
    this.#options = merge(this.#options, clean(options));
    this.#link?.send('update', this.#settings());
  }

  focus(): void {
    this.#frame?.element.focus();
    this.#link?.send('focus');
  }

  clear(): void {
    this.#link?.send('clear');
  }

  #handlers() {
    return {
      change: (state: FieldState) => {
        this.#show(state);
        this.#events.emit('change', state);
      },
      focus: () => this.#focused(true),
      blur: () => this.#focused(false),
      brand: (brand: string) => this.#events.emit('cardbrand', { brand }),
      height: (height: number) => {
        if (this.#frame) this.#frame.element.style.height = `${Number(height)}px`;
      },
    };
  }

  #focused(focus: boolean): void {
    this.#container?.classList.toggle('SvcPayField--focus', focus);
    this.#events.emit(focus ? 'focus' : 'blur', {});
  }

  #show({ empty, complete, error }: FieldState): void {
    const states = { empty, complete, invalid: !!error };
    for (const [state, on] of Object.entries(states)) this.#container?.classList.toggle(`SvcPayField--${state}`, on);
  }

  #settings(): Options {
    return { ...this.#options, scheme: schemeOf(this.#container!) };
  }

  #failed(error: PayError): void {
    if (error.code === 'field_not_mounted') return;
    this.#host.note(error);
    complain(`${this.type}: ${error.message}`);
  }

  /** Lets a label of the container focus the field, and the field follow the page's color scheme. */
  #listen(container: Element): void {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    if (container.id) {
      for (const label of document.querySelectorAll(`label[for="${CSS.escape(container.id)}"]`)) {
        label.addEventListener('click', () => this.focus(), { signal });
      }
    }
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.updateField({}), { signal });
  }
}

function find(selector: string): Element | null {
  try {
    return document.querySelector(selector);
  } catch {
    return null;
  }
}
