import { accept } from '../shared/accept';
import { channel } from '../shared/channel';
import type { PayError } from '../shared/errors';
import type { TokenRequest } from '../shared/protocol';
import { uuid } from '../shared/random';
import { Fields } from './fields';
import { post } from './http';
import { Sessions } from './session';

const instance = new URLSearchParams(location.search).get('i') ?? '';

accept((port, pageOrigin) => {
  const sessions = new Sessions(pageOrigin);
  const fields = new Fields(instance, () => sessions.country);
  // Field frames look for this mark; it is readable from this origin only.
  Object.assign(window, { svcpayController: instance });

  channel(port, {
    init: () => true,
    async session() {
      const { livemode, merchant, methods } = await sessions.current();
      return { livemode, country: merchant.country, currency: merchant.currency, methods };
    },
    token: (request: TokenRequest) => tokenize(sessions, fields, request),
    drop: (id: string) => fields.drop(id),
  });
});

async function tokenize(sessions: Sessions, fields: Fields, { fields: ids, billing }: TokenRequest) {
  const { postal_code, ...card } = await fields.collect(ids);
  const key = { 'Idempotency-Key': uuid() };
  const send = async () => {
    const { session } = await sessions.current();
    const address = postal_code ? { ...billing, address_zip: postal_code } : billing;
    return post('/client/tokens', { session, type: 'card', card, billing: address }, key);
  };
  const { body } = await send().catch((error: PayError) => {
    // The session has ended earlier than its time: once more, with a new one.
    if (error.code !== 'not_ready') throw error;
    sessions.forget();
    return send();
  });
  return { token: body.token, card: body.card, billing: body.billing, livemode: body.livemode };
}
