import type { Joined, Mandate, WalletSetup } from '../shared/protocol';
import { post } from './http';

/** Renewed this long before it ends, in milliseconds. */
const MARGIN = 15_000;

type Countries = Pick<Joined, 'country' | 'without'>;

/** What the service answers to a session request. */
interface Session {
  session: string;
  expires_at: string;
  livemode: boolean;
  merchant: { id: number; name: string; country: string; currency: string; bank_processor: string };
  methods: Record<string, boolean>;
  wallets: WalletSetup;
  mandate?: Mandate | null;
  /** See Joined; missing at servers of earlier versions. */
  without?: string[];
}

/** The instance's session with the service, renewed when its time is over. */
export class Sessions {
  #query = new URLSearchParams(location.search);
  #pageOrigin: string;
  #current: Session | undefined;
  #until = 0;
  /** How far the service's clock is ahead of the time since this page began, in milliseconds. */
  #ahead = 0;
  #told!: (countries: Countries) => void;
  /** What fields need of the first session, as soon as there is one. */
  readonly countries = new Promise<Countries>((resolve) => (this.#told = resolve));

  constructor(pageOrigin: string) {
    this.#pageOrigin = pageOrigin;
  }

  /** Makes the next call ask for a new session. */
  forget(): void {
    this.#current = undefined;
  }

  /** The time by the service's clock, in milliseconds, once there was a session. */
  get now(): number {
    return performance.now() + this.#ahead;
  }

  async current(): Promise<Session> {
    if (this.#current && performance.now() < this.#until) return this.#current;
    const { body, date } = await post('/client/session', {
      public_key: this.#query.get('k'),
      merchant_id: this.#query.get('m'),
      page_origin: this.#pageOrigin,
      ancestor_origins: [...(location.ancestorOrigins ?? [])],
      version: SVCPAY_VERSION,
    });
    const session = body as Session;
    // Measured from the service's own clock: the visitor's may be wrong by hours.
    this.#ahead = date - performance.now();
    this.#until = Date.parse(session.expires_at) - this.#ahead - MARGIN;
    this.#told({ country: session.merchant.country, without: session.without });
    return (this.#current = session);
  }
}
