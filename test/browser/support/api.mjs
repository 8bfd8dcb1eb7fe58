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

/** Moves the application's clock ahead until a charge has settled: two weeks are enough for any. Other tests move it, too. */
export async function settled(id) {
  for (let tries = 0; tries < 60; tries++) {
    const { status, body } = await api('/api/sandbox/clock', { method: 'POST', body: { advance: '336h' } });
    if (status === 200) break;
    assert.equal(body.error.code, 'operation_in_progress');
    await new Promise((done) => setTimeout(done, 500));
  }
  const { body } = await api(`/api/charges/${id}`);
  assert.equal(body.status, 'settled');
  return body;
}
