import { accept } from '../shared/accept';
import { channel } from '../shared/channel';
import type { PayError } from '../shared/errors';
import type {
  BankPart,
  BankRequest,
  DafRequest,
  LinkRequest,
  RedeemRequest,
  Setup,
  TokenRequest,
  WalletARequest,
  WalletRequest,
} from '../shared/protocol';
import { uuid } from '../shared/random';
import { Fields } from './fields';
import { post, type Answer } from './http';
import { localized, words } from './locale';
import { Sessions } from './session';

const instance = new URLSearchParams(location.search).get('i') ?? '';

accept((port, pageOrigin) => {
  const sessions = new Sessions(pageOrigin);
  const fields = new Fields(instance, sessions.country);
  // Field frames look for this mark; it is readable from this origin only.
  Object.assign(window, { svcpayController: instance });

  channel(port, {
    init: () => true,
    async session() {
      const { livemode, merchant, methods, wallets, mandate = null } = await sessions.current();
      fields.gather();
      const { id, name, country, currency } = merchant;
      const setup: Setup = {
        bankProcessor: merchant.bank_processor,
        merchant: { id, name, country, currency },
        wallets,
        mandate,
      };
      return { livemode, country, currency, methods, setup };
    },
    token: (request: TokenRequest) => tokenize(sessions, fields, request),
    wallet: (request: WalletRequest) => tokenizeWallet(sessions, request),
    walletA: (request: WalletARequest) => startWalletA(sessions, request),
    bank: (request: BankRequest) => tokenizeBank(sessions, fields, request),
    link: async (request: LinkRequest) =>
      (await withSession(sessions, (session) => post('/client/bank', { session, ...request }))).body,
    redeem: ({ key, ...request }: RedeemRequest) => keepBank(sessions, key, { type: 'bank_authorization', ...request }),
    daf: (request: DafRequest) => startDaf(sessions, request),
    /** The words of the page's language, for what the page itself shows. */
    words: () => words,
    drop: (id: string) => fields.drop(id),
  });
});

async function tokenize(sessions: Sessions, fields: Fields, { fields: ids, billing }: TokenRequest) {
  const { postal_code, ...card } = await fields.collect(ids);
  const key = { 'Idempotency-Key': uuid() };
  const { body } = await withSession(sessions, (session) => {
    const address = postal_code ? { ...billing, address_zip: postal_code } : billing;
    return post('/client/tokens', { session, type: 'card', card, billing: address }, key);
  });
  return { token: body.token, card: body.card, billing: body.billing, livemode: body.livemode };
}

async function tokenizeWallet(sessions: Sessions, { type, payload, billing, key }: WalletRequest) {
  const { body } = await withSession(sessions, (session) =>
    post('/client/tokens', { session, type, payload, billing }, { 'Idempotency-Key': key }),
  );
  return { token: body.token, card: body.card, billing: body.billing, livemode: body.livemode };
}

/** The merchant session that wallet A's sheet waits for; opaque. */
async function startWalletA(sessions: Sessions, { validationURL, displayName }: WalletARequest): Promise<unknown> {
  const { body } = await withSession(sessions, (session) =>
    post('/client/wallet-a/session', { session, validation_url: validationURL, display_name: displayName }),
  );
  return body.merchant_session;
}

async function tokenizeBank(sessions: Sessions, fields: Fields, { fields: ids, account_type, ...rest }: BankRequest) {
  const numbers = await fields.values<BankPart>(ids);
  return keepBank(sessions, uuid(), { type: 'bank', bank_account: { ...numbers, account_type }, ...rest });
}

async function keepBank(sessions: Sessions, key: string, request: object) {
  const { body } = await withSession(sessions, (session) =>
    post('/client/tokens', { session, ...request }, { 'Idempotency-Key': key }),
  );
  return { token: body.token, bank_account: body.bank_account, billing: body.billing, livemode: body.livemode };
}

/** Where the pages of a new DAF modal begin. */
async function startDaf(sessions: Sessions, { amount, customerDetail, scheme }: DafRequest): Promise<{ path: string }> {
  const { body } = await withSession(sessions, (session) =>
    post('/client/daf', { session, amount, customer_detail: customerDetail ?? {}, scheme }),
  );
  // It only fills in what the donor can change: what is wrong with it stops no one from giving.
  for (const warning of body.warnings ?? []) console.warn(`[SvcPay] ${warning}`);
  return { path: body.path };
}

/** Runs `send` with a session, again with a new one if the session has ended earlier than its time. */
async function withSession(sessions: Sessions, send: (session: string) => Promise<Answer>): Promise<Answer> {
  const attempt = async () => send((await sessions.current()).session);
  try {
    return await attempt().catch((error: PayError) => {
      if (error.code !== 'not_ready') throw error;
      sessions.forget();
      return attempt();
    });
  } catch (caught) {
    throw await localized(caught as PayError);
  }
}
