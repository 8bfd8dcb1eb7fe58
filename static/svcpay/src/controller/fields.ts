import { channel, type Channel } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import { locale, words } from './locale';
import type { Sessions } from './session';
import { GATHER, JOIN, type CardPart, type Collected, type Fill, type Joined } from '../shared/protocol';

/** The order in which a payer meets the inputs: the first error in it is the one reported. */
const ORDER = [
  'card.number', 'card.expiry', 'card.cvc', 'card.postal_code', 'bank_account.routing_number',
  'bank_account.account_number',
];

/** How long a field may take to join, in milliseconds. */
const PATIENCE = 2_000;

/** The field frames of this instance, each on a port that the page cannot see. */
export class Fields {
  #joined = new Map<string, Channel>();
  #awaited = new Map<string, () => void>();
  #brand = 'none';
  #instance: string;
  #sessions: Sessions;

  constructor(instance: string, sessions: Sessions) {
    this.#instance = instance;
    this.#sessions = sessions;
    addEventListener('message', ({ origin, source, data, ports: [port] }) => {
      // Only a document of this very origin, in this page, made for this instance, may join.
      if (origin !== location.origin || data !== JOIN || !port) return;
      const frame = source as Window;
      const query = new URLSearchParams(frame.location.search);
      if (frame.parent === parent && query.get('i') === instance) this.#join(query.get('f') ?? '', port);
    });
  }

  /** Has the fields join that were in the page before this frame was. */
  gather(): void {
    try {
      const channel = new BroadcastChannel(GATHER);
      channel.postMessage(this.#instance);
      channel.close();
    } catch {
      for (let at = 0; at < parent.length; at++) parent[at]!.postMessage(GATHER, location.origin);
    }
  }

  drop(id: string): void {
    this.#joined.get(id)?.close(fault('field_not_mounted', 'The field was unmounted.'));
    this.#joined.delete(id);
  }

  /**
   * Gathers the card from the fields named; throws the first error in reading order. `country` is the payer's, if it is
   * known.
   */
  async collect(ids: string[], country?: string): Promise<CardPart> {
    const values = await this.values<CardPart>(ids, country);
    if (!values.number) throw missing('cardNumber');
    if (!values.exp_year) throw missing('cardExpiration');
    return values;
  }

  /** Gathers what was typed into the fields named; throws the first error in reading order. */
  async values<Values>(ids: string[], country?: string): Promise<Values> {
    const links = await Promise.all(ids.map((id) => this.#find(id)));
    if (!links.every((link) => link)) throw fault('field_not_mounted', 'A payment field is not connected.');
    const parts: Collected[] = await Promise.all(links.map((link) => link!.call('collect', country, 5000)));
    const errors = parts.flatMap((part) => part.errors).sort(byOrder);
    if (errors[0]) throw errors[0];
    return Object.assign({}, ...parts.map((part) => part.values));
  }

  /** A field, which may only be about to join where this frame is a new one. */
  async #find(id: string): Promise<Channel | undefined> {
    if (!this.#joined.has(id)) {
      await new Promise<void>((resolve) => {
        this.#awaited.set(id, resolve);
        setTimeout(resolve, PATIENCE);
      });
    }
    return this.#joined.get(id);
  }

  #join(id: string, port: MessagePort): void {
    this.drop(id);
    const link = channel(port, {
      hello: async (): Promise<Joined> => ({
        ...(await this.#sessions.countries),
        now: this.#sessions.now,
        brand: this.#brand,
        locale,
        words: await words,
      }),
      brand: (brand: string) => {
        this.#brand = brand;
        tell('brand', brand);
      },
      fill: (fill: Fill) => tell('fill', fill),
    });
    const tell = (name: string, body: unknown) => {
      for (const other of this.#joined.values()) if (other !== link) other.send(name, body);
    };
    this.#joined.set(id, link);
    this.#awaited.get(id)?.();
    this.#awaited.delete(id);
  }
}

function byOrder(one: PayError, other: PayError): number {
  return ORDER.indexOf(one.field!) - ORDER.indexOf(other.field!);
}

function missing(type: string): PayError {
  return fault('field_not_mounted', `A ${type} field must be mounted too.`);
}
