import type { Mandate, WalletSetup } from '../shared/protocol';
import { post } from './http';

/** Renewed this long before it ends, in milliseconds. */
const MARGIN = 15_000;

/** What the service answers to a session request. */
interface Session {
  session: string;
  expires_at: string;
  livemode: boolean;
  merchant: { id: number; name: string; country: string; currency: string; bank_processor: string };
  methods: Record<string, boolean>;
  wallets: WalletSetup;
  mandate?: Mandate | null;
}

/** The instance's session with the service, renewed when its time is over. */
export class Sessions {
  #query = new URLSearchParams(location.search);
  #pageOrigin: string;
  #current: Session | undefined;
  #until = 0;
  #told!: (country: string) => void;
  /** The merchant's country, as soon as the first session tells it. */
  readonly country = new Promise<string>((resolve) => (this.#told = resolve));

  constructor(pageOrigin: string) {
    this.#pageOrigin = pageOrigin;
  }

  /** Makes the next call ask for a new session. */
  forget(): void {
    this.#current = undefined;
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
    this.#told(session.merchant.country);
    // Measured from the service's own clock: the visitor's may be wrong by hours.
    this.#until = performance.now() + Date.parse(session.expires_at) - date - MARGIN;
    return (this.#current = session);
  }
}
