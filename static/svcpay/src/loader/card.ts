import type { Handlers } from '../shared/channel';
import type { CardType, FieldState } from '../shared/protocol';
import { fault } from '../shared/errors';
import { TokenField, type Field, type Host } from './field';
import { clean, type Options } from './options';
import { billingOf } from './token-data';

const TITLES: Record<CardType, string> = {
  card: 'Secure card details',
  cardNumber: 'Secure card number',
  cardExpiration: 'Secure expiration date',
  cardCvc: 'Secure security code',
};

/** A card, or one part of it. */
export class CardField extends TokenField {
  declare readonly type: CardType;

  constructor(host: Host, type: CardType, options: Options) {
    super(host, { type, method: 'cc', path: 'field', title: TITLES[type], box: { height: '46px' } });
    this.options = clean(options);
  }

  override mount(target: string | Element): void {
    super.mount(target);
    this.#show({ empty: true, complete: false });
  }

  override tokenize(tokenData: unknown): Promise<SvcPay.TokenResult> {
    const set: CardField[] = this.type === 'card' ? [this] : [...this.host.mounted].filter(isPart);
    if (!set.every(({ id }) => id)) throw fault('not_ready', 'A card field is still loading.');
    return this.host.ask('token', { fields: set.map(({ id }) => id), billing: billingOf(tokenData) });
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

/** Whether a field is one of those that make a card together. */
function isPart(field: Field): field is CardField {
  return field instanceof CardField && field.type !== 'card';
}
