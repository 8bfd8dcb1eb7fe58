import type { Handlers } from '../shared/channel';
import type { CardType, FieldState } from '../shared/protocol';
import { Field, type Host } from './field';
import { clean, type Options } from './options';

const TITLES: Record<CardType, string> = {
  card: 'Secure card details',
  cardNumber: 'Secure card number',
  cardExpiration: 'Secure expiration date',
  cardCvc: 'Secure security code',
};

/** A card, or one part of it. */
export class CardField extends Field {
  declare readonly type: CardType;

  constructor(host: Host, type: CardType, options: Options) {
    super(host, { type, method: 'cc', path: 'field', title: TITLES[type], box: { height: '46px' } });
    this.options = clean(options);
  }

  override mount(target: string | Element): void {
    super.mount(target);
    this.#show({ empty: true, complete: false });
  }

  clear(): void {
    this.link?.send('clear');
  }

  protected override handlers(): Handlers {
    return {
      change: (state: FieldState) => {
        this.#show(state);
        this.events.emit('change', state);
      },
      brand: (brand: string) => this.events.emit('cardbrand', { brand }),
      height: (height: number) => {
        if (this.frame) this.frame.element.style.height = `${Number(height)}px`;
      },
    };
  }

  #show({ empty, complete, error }: FieldState): void {
    const states = { empty, complete, invalid: !!error };
    for (const [state, on] of Object.entries(states)) this.container?.classList.toggle(`SvcPayField--${state}`, on);
  }
}
