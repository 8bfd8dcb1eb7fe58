import { accept } from '../shared/accept';
import { channel } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
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
import { randomId } from '../shared/random';
import { bankDataOf, billingOf } from '../shared/token-data';
import { Fields } from './fields';
import { Challenged, post, type Answer } from './http';
import { localized, words } from './locale';
import { proofOf } from './proof';
import { Sessions } from './session';

const query = new URLSearchParams(location.search);
const instance = query.get('i') ?? '';

// While the session opens, so that card fields find their files in the cache.
if (query.get('p') === 'cc') for (const path of SVCPAY_CARD) fetch(path).then((file) => file.text(), () => {});

accept((port, pageOrigin) => {
  const sessions = new Sessions(pageOrigin);
  const fields = new Fields(instance, sessions);
  // Field frames look for this mark; it is readable from this origin only.
  Object.assign(window, { svcpayController: instance });

  channel(port, {
    init: () => true,
    async session() {
      const { livemode, merchant, methods, wallets, mandate = null } = await sessions.current().catch(localized);
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
    redeem: ({ key, authorization, country, billing }: RedeemRequest) => {
      const given = bankDataOf(billing);
      given.country ||= country;
      return keepBank(sessions, key, { type: 'bank_authorization', authorization, ...given });
    },
    daf: (request: DafRequest) => startDaf(sessions, request),
    /** The words of the page's language, for what the page itself shows. */
    words: () => words,
    drop: (id: string) => fields.drop(id),
  });
});

async function tokenize(sessions: Sessions, fields: Fields, { fields: ids, billing }: TokenRequest) {
  const given = billingOf(billing);
  const { postal_code, ...card } = await fields.collect(ids, given.address_country);
  const key = { 'Idempotency-Key': randomId() };
  const { body } = await withSession(sessions, (session) => {
    const address = postal_code ? { ...given, address_zip: postal_code } : given;
    return proving((proof) =>
      post('/client/tokens', { session, type: 'card', card, billing: address, ...proof }, key),
    );
  });
  return { token: body.token, card: body.card, billing: body.billing, livemode: body.livemode };
}

/** How many challenges are solved for one token: the first may be too old, or too easy a moment later. */
const CHALLENGES = 3;

/** Sends a request, and again with a proof of work each time that the service asks for one. */
async function proving(send: (proof?: object) => Promise<Answer>): Promise<Answer> {
  let proof: object | undefined;
  for (let left = CHALLENGES; ; left--) {
    try {
      return await send(proof);
    } catch (caught) {
      if (!(caught instanceof Challenged)) throw caught;
      if (!left) throw { ...caught.error, ...fault('rate_limited', caught.error.message, caught.error.type) };
      proof = { proof: await proofOf(caught.challenge) };
    }
  }
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
  return keepBank(sessions, randomId(), { type: 'bank', bank_account: { ...numbers, account_type }, ...rest });
}

async function keepBank(sessions: Sessions, key: string, request: object) {
  const { body } = await withSession(sessions, (session) =>
    post('/client/tokens', { session, ...request }, { 'Idempotency-Key': key }),
  );
  return { token: body.token, bank_account: body.bank_account, billing: body.billing, livemode: body.livemode };
}

/** Where the pages of a new DAF modal begin. */
async function startDaf(sessions: Sessions, request: DafRequest): Promise<{ path: string }> {
  const { customerDetail, locale, ...rest } = request;
  const { body } = await withSession(sessions, (session) =>
    // Servers of the previous version know no languages, and need none for English.
    post('/client/daf', {
      session, customer_detail: customerDetail ?? {}, ...rest, ...(locale === 'en' ? {} : { locale }),
    }),
  );
  // It only fills in what the donor can change: what is wrong with it stops no one from giving.
  for (const warning of body.warnings ?? []) console.warn(`[SvcPay] ${warning}`);
  return { path: body.path };
}

/** Runs `send` with a session, again with a new one if the session has ended earlier than its time. */
async function withSession(sessions: Sessions, send: (session: string) => Promise<Answer>): Promise<Answer> {
  const attempt = async () => send((await sessions.current()).session);
  return attempt()
    .catch((error: PayError) => {
      if (error.code !== 'not_ready') throw error;
      sessions.forget();
      return attempt();
    })
    .catch(localized);
}
