import type { Channel, Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import { randomId } from '../shared/random';
import { Events, type Handler } from './events';
import { openFrame, spareFrame, UNAVAILABLE, type Frame, type Spare } from './frame';
import { complain } from './notice';
import { clean, merge, schemeOf, submitForm, type Options } from './options';
import type { FieldState, Setup } from '../shared/protocol';
import type { Method } from './method';

/** What a field needs of the instance that made it. */
export interface Host {
  payOrigin: string;
  /** The language of what payers read, one of the library's. */
  locale(): string;
  /** Why fields of a payment method cannot mount now, if they cannot. */
  obstacle(method: Method): PayError | undefined;
  /** The address of a frame of this instance. */
  address(path: string, query: Record<string, string>): string;
  mounted: Set<Field>;
  /** Frames that load ahead of the mount of their fields. */
  spares: Set<Element>;
  /** Records an error as the instance's last one. */
  note(error: PayError): void;
  /** Asks the controller for something that takes the service. */
  ask(name: string, body: unknown): Promise<any>;
  /** Tells the controller that a field has left the page. */
  dropped(id: string): void;
  /** Whether cards can be swiped. */
  swipe: boolean;
  /** What fields need to know of the merchant; there once one can mount. */
  setup: Setup;
}

/** What tells the frames of one field type from those of another. */
export interface Looks {
  type: string;
  method: Method;
  /** The frame's page. */
  path: string;
  title: string;
  box: Partial<CSSStyleDeclaration>;
}

/** The notice in place of a field that did not load, by language. */
const LOST: Record<string, [string, string]> = {
  en: ['This field didn’t load.', 'Try again'],
  es: ['Este campo no se cargó.', 'Reintentar'],
  fr: ['Ce champ ne s’est pas chargé.', 'Réessayer'],
};

/** The error of a token that is asked for too early. */
export const LOADING = fault('not_ready', 'The payment field is still loading.');

const STATES = ['focus', 'empty', 'complete', 'invalid'] as const;

/** One payment field: a frame of the pay origin inside a container of the page. */
export abstract class Field {
  readonly type: string;
  protected readonly host: Host;
  protected readonly events = new Events();
  protected options: Options = {};
  protected frame: Frame | undefined;
  protected link: Channel | undefined;
  protected container: Element | undefined;
  /** What @svcpay/react has each failure of the field call. */
  onfailure: ((error: PayError) => void) | undefined;
  #looks: Looks;
  /** The id of this mounting, under which the controller knows the field; empty while it is not mounted. */
  protected mounting = '';
  #listening = new AbortController();
  /** The frame of the first mount, while it loads ahead of it. */
  #spare: Spare | undefined;
  /** The notice in the page if the frame did not load. */
  #notice: HTMLElement | undefined;
  /** The error that makes the mounted field unusable. */
  unavailable: PayError | undefined;

  constructor(host: Host, looks: Looks) {
    this.host = host;
    this.type = looks.type;
    this.#looks = looks;
  }

  /** The id under which the controller knows this mounted and usable field, else empty. */
  get id(): string {
    return this.link ? this.mounting : '';
  }

  /** Whether the page took the field away without unmounting it, and nothing of it can be used any more. */
  get lost(): boolean {
    return false;
  }

  on(name: string, handler: Handler): this {
    this.events.on(name, handler);
    return this;
  }

  once(name: string, handler: Handler): this {
    this.events.once(name, handler);
    return this;
  }

  off(name: string, handler?: Handler): this {
    this.events.off(name, handler);
    return this;
  }

  /** Renders the field in `target`; a field that is mounted elsewhere moves. */
  mount(target: string | Element | undefined): void {
    const container = this.place(target);
    if (container) this.render(container);
  }

  /**
   * Takes the field out of the page; handlers and options stay for the next mount. With a target, only if it is there.
   */
  unmountField(target?: string | Element): void {
    if (!target || find(target) === this.container) this.unmount();
    else complain(`unmountField: ${this.type} is not mounted there.`);
  }

  unmount(): void {
    if (!this.container) return;
    this.#listening.abort();
    this.host.mounted.delete(this);
    this.host.dropped(this.mounting);
    this.container.classList.remove('SvcPayField', ...STATES.map((state) => `SvcPayField--${state}`));
    this.container = this.link = undefined;
    this.mounting = '';
    this.frame?.close(fault('field_not_mounted', 'The field was unmounted.'));
    this.frame = undefined;
    this.available();
  }

  /** Merges `options` into the field's own. */
  updateField(options: Options): void {
    this.options = merge(this.options, clean(options));
    this.link?.send('update', this.settings());
  }

  focus(): void {
    this.frame?.element.focus();
    this.link?.send('focus');
  }

  /** Loads the frame ahead of the first mount. */
  protected preload(): void {
    const { type, path, title } = this.#looks;
    const id = randomId();
    this.#spare = spareFrame(id, this.host.address(path, { t: type, f: id }), title);
    if (this.#spare) this.host.spares.add(this.#spare.element);
  }

  /** Fills the container with the field's frame. */
  protected render(container: Element): void {
    const { type, path, title, box } = this.#looks;
    let told: Options | undefined;
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare) this.host.spares.delete(spare.element);
    this.frame = openFrame(container, {
      spare,
      lost: UNAVAILABLE,
      url: this.host.address(path, { t: type, f: this.mounting }),
      title,
      settings: () => {
        told = this.options;
        return this.settings();
      },
      handlers: {
        focus: () => this.focused(true),
        blur: () => this.focused(false),
        enter: () => this.options.submitOnEnter !== false && submitForm(container),
        title: (text: string) => {
          if (this.frame) this.frame.element.title = String(text);
        },
        ...this.handlers(),
      },
      opened: (link, answer) => {
        this.link = link;
        this.available();
        this.opened(answer);
        // The frame has the options as they were when it began.
        if (told !== this.options) link.send('update', this.settings());
        this.events.emit('ready', {});
      },
      failed: (error) => this.failed(error),
    });
    // Through the style object: a style attribute would need the page's policy to allow it.
    Object.assign(this.frame.element.style, { display: 'block', width: '100%', border: '0', ...box });
  }

  /** What the field's frame may tell the page, besides of its focus. */
  protected abstract handlers(): Handlers;

  /** The field's frame is there, again after each reload, which takes the focus out of it. */
  protected opened(_answer: unknown): void {
    if (this.container?.classList.contains('SvcPayField--focus') && document.activeElement !== this.frame?.element)
      this.focused(false);
  }

  /** What the field's frame is notified of the options. */
  protected settings(): Options {
    return { ...this.options, scheme: schemeOf(this.container!) };
  }

  /** Reports an error. A field that is `lost` because something did not load says so to the payer, too. */
  protected failed(error: PayError, lost = error.code === 'frame_unavailable'): void {
    if (error.code === 'field_not_mounted') return;
    complain(`${this.type}: ${error.message}`);
    this.host.note(error);
    if (lost) error = this.#lose(error);
    this.onfailure?.(error);
    if (lost) this.changed({ empty: true, complete: false, error });
  }

  protected changed(state: FieldState): void {
    this.events.emit('change', state);
  }

  /** Puts a state into the container's classes. */
  protected show({ empty, complete, error }: FieldState): void {
    const states = { empty, complete, invalid: !!error };
    for (const [name, on] of Object.entries(states)) this.container?.classList.toggle(`SvcPayField--${name}`, on);
  }

  /** Shows the payer that the field did not load, with a button that tries again; the error then says the same. */
  #lose(error: PayError): PayError {
    const container = this.container!;
    const [message, again] = LOST[this.host.locale().slice(0, 2)]!;
    this.available();
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = again;
    button.onclick = () => this.mount(container);
    this.#notice = document.createElement('div');
    this.#notice.setAttribute('role', 'alert');
    this.#notice.append(message, ' ', button);
    this.#reveal(false);
    container.append(this.#notice);
    return (this.unavailable = { ...error, message });
  }

  /** Removes the notice if the frame has loaded after all or the field was unmounted. */
  protected available(): void {
    if (!this.#notice) return;
    this.#notice.remove();
    this.#notice = this.unavailable = undefined;
    this.#reveal(true);
  }

  #reveal(shown: boolean): void {
    if (this.frame) this.frame.element.style.display = shown ? 'block' : 'none';
  }

  /** Takes the place of a field in the page, where it can be; says why where it cannot. */
  protected place(target: string | Element | undefined): Element | undefined {
    const obstacle = this.host.obstacle(this.#looks.method);
    if (obstacle) return void this.failed(obstacle);
    const container = find(target);
    if (!container)
      return void this.failed(fault('mount_target_missing', `No element matches ${JSON.stringify(target)}.`));
    unmountLost(this.host.mounted);
    this.unmount();
    this.mounting = this.#spare?.id ?? randomId();
    this.container = container;
    this.host.mounted.add(this);
    container.classList.add('SvcPayField');
    this.#listen(container);
    return container;
  }

  protected focused(focus: boolean): void {
    this.container?.classList.toggle('SvcPayField--focus', focus);
    this.events.emit(focus ? 'focus' : 'blur', {});
  }

  /** Lets a label of the container focus the field, and the field follow the page's color scheme. */
  #listen(container: Element): void {
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    if (container.id) {
      const root = container.getRootNode() as Document | ShadowRoot;
      for (const label of root.querySelectorAll(`label[for="${CSS.escape(container.id)}"]`)) {
        label.addEventListener('click', () => this.focus(), { signal });
      }
    }
    let scheme = schemeOf(container);
    const follow = () => scheme !== (scheme = schemeOf(container)) && this.updateField({});
    const watch = new MutationObserver(follow);
    for (const element of [document.documentElement, document.body]) watch.observe(element, { attributes: true });
    signal.addEventListener('abort', () => watch.disconnect());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', follow, { signal });
  }
}

/** A field of which a token can be made. */
export abstract class TokenField extends Field {
  /** Makes the token; rejects with a PayError. The field is mounted, and the instance ready. */
  abstract tokenize(tokenData: unknown): Promise<SvcPay.TokenResult | SvcPay.BankTokenResult>;
}

/** Unmounts the fields that their page took away, as one does that makes its content again. */
export function unmountLost(mounted: Set<Field>): void {
  for (const field of mounted) if (field.lost) field.unmountField();
}

function find(target: string | Element | undefined): Element | undefined {
  try {
    const found = typeof target === 'string' ? document.querySelector(target) : target;
    if (found instanceof Element) return found;
  } catch {
    // It is no selector.
  }
  return undefined;
}
