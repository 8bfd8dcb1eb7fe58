import type { Handlers } from '../shared/channel';
import type { CardType, FieldState } from '../shared/protocol';
import { fault } from '../shared/errors';
import { LOADING, TokenField, type Field, type Host } from './field';
import { ignored } from './notice';
import { clean, type Options } from './options';

const OPTIONS = [
  'style', 'hideBorders', 'disabled', 'value', 'country', 'hidePostalCode', 'placeholder', 'submitOnEnter',
];

/** Narrower frames of a whole card have two rows: see field.css. */
const ONE_ROW = 576;

const NOTHING: FieldState = { empty: true, complete: false };

/** A card, or one part of it. */
export class CardField extends TokenField {
  declare readonly type: CardType;
  #button: HTMLButtonElement | undefined;
  /** Whether the frame has been in the page: one whose container is only on its way there is not lost. */
  #arrived = false;
  /** What the page was told last. */
  #state = NOTHING;
  /** What a swiper types next goes into the frame. */
  #swipe = () => {
    this.frame?.element.focus();
    this.link?.send('swipe');
  };

  constructor(host: Host, type: CardType, options: Options) {
    super(host, { type, method: 'cc', path: 'field', title: 'Secure card field', box: { height: '46px' } });
    this.updateField(options);
    this.preload();
  }

  override updateField(options: Options): void {
    ignored(options, OPTIONS, this.type);
    super.updateField(options);
  }

  /**
   * What makes up a card is gathered from its frames, none of which may be gone; a modal or a sheet can outlive its
   * button.
   */
  override get lost(): boolean {
    return this.#arrived && !this.frame?.element.isConnected;
  }

  override mount(target: string | Element): void {
    const button =
      this.#swipes() && document.querySelector<HTMLButtonElement>('button#swipe, input#swipe[type=button]');
    if (button === null)
      return this.failed(
        fault('swipe_button_missing', 'options.swipe needs a button with the id "swipe" in the page.'),
      );
    super.mount(target);
    if (!button || !this.container) return;
    this.#button = button;
    button.addEventListener('click', this.#swipe);
  }

  override unmount(): void {
    this.#button?.removeEventListener('click', this.#swipe);
    super.unmount();
  }

  override tokenize(tokenData: unknown): Promise<SvcPay.TokenResult> {
    const set: CardField[] = this.type === 'card' ? [this] : [...this.host.mounted].filter(isPart);
    for (const { id, unavailable } of set) {
      if (!id) throw unavailable ?? LOADING;
    }
    return this.host.ask('token', { fields: set.map(({ id }) => id), billing: clean(tokenData) });
  }

  clear(): void {
    this.link?.send('clear');
  }

  protected override handlers(): Handlers {
    return {
      change: (state: FieldState) => this.changed(state),
      brand: (brand: string) => this.events.emit('cardbrand', { brand }),
      height: (height: number) => {
        if (this.frame) this.frame.element.style.height = `${Number(height)}px`;
      },
    };
  }

  protected override render(container: Element): void {
    super.render(container);
    const { clientWidth, style } = this.frame!.element;
    const rows = this.type === 'card' && clientWidth < ONE_ROW ? 2 : 1;
    style.height = `${44 * rows + (this.options.hideBorders ? 0 : 2)}px`;
    this.#arrived = container.isConnected;
    this.#state = NOTHING;
    this.show(NOTHING);
  }

  /** A frame that was reloaded, as one is that the page moves, has forgotten what was typed. */
  protected override opened(state: FieldState): void {
    super.opened(state);
    this.#arrived = true;
    this.changed(state);
  }

  protected override settings(): Options {
    return { ...super.settings(), swipe: this.#swipes() };
  }

  #swipes(): boolean {
    return this.host.swipe && (this.type === 'card' || this.type === 'cardNumber');
  }

  protected override changed(state: FieldState): void {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.show(state);
    super.changed(state);
  }
}

/** Whether a field is one of those that make a card together. */
function isPart(field: Field): field is CardField {
  return field instanceof CardField && field.type !== 'card';
}
