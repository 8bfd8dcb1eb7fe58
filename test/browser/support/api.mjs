// The partner API, as the application calls it.
import assert from 'node:assert/strict';
import { credentials } from './env.mjs';

/** Calls the API; a request with a body has an idempotency key of its own. */
export async function api(path, { method = 'GET', body } = {}) {
  const response = await fetch(credentials.base_url + path, {
    method,
    headers: {
      Accept: 'application/json',
      'X-API-Key': credentials.secret_key,
      'X-App-ID': String(credentials.app_id),
      ...(body && { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }),
    },
    body: body && JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

/**
 * Has a charge settle ahead of its calendar: the clock belongs to every test of the application, and stays where it is.
 */
export async function settled(id) {
  const { status, body } = await api(`/api/sandbox/charges/${id}/simulate`, {
    method: 'POST',
    body: { outcome: 'settled' },
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.status, 'settled');
  return body;
}
