import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { load } from './load.mjs';

const { post, Challenged } = await load('controller/http');

let sent;
let pauses;
const wait = globalThis.setTimeout;
// Pauses between attempts are recorded, not waited for; the longer time-out of an attempt never comes.
globalThis.setTimeout = (run, ms) => (ms < 10_000 ? (pauses.push(ms), wait(run, 0)) : 0);

beforeEach(() => {
  sent = [];
  pauses = [];
});

/** Answers in turn: an Error breaks the connection, [status, body, headers] is an answer. */
function service(...answers) {
  globalThis.fetch = async (path, options) => {
    sent.push({ path, ...options });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    const [status, body, headers = {}] = answer;
    return new Response(typeof body === 'string' ? body : JSON.stringify(body), { status, headers });
  };
}

const error = (code, more) => ({ error: { message: 'm', code, type: 't', ...more } });
const KEY = { 'Idempotency-Key': 'one' };

test('an answer comes with the service’s clock', async () => {
  service([201, { token: 'tok_1' }, { Date: 'Sat, 21 Nov 2026 07:00:00 GMT' }]);
  assert.deepEqual(await post('/client/tokens', { a: 1 }, KEY), {
    body: { token: 'tok_1' },
    date: Date.UTC(2026, 10, 21, 7),
  });
  assert.equal(sent[0].body, '{"a":1}');
  assert.equal(sent[0].credentials, 'omit');
});

test('lost, failed and unfinished requests are repeated with one key', async () => {
  service(
    new TypeError('offline'),
    [503, 'overloaded'],
    [409, error('idempotency_key_in_use')],
    [201, { token: 'tok_1' }],
  );
  assert.equal((await post('/client/tokens', {}, KEY)).body.token, 'tok_1');
  assert.deepEqual(sent.map(({ headers }) => headers['Idempotency-Key']), ['one', 'one', 'one', 'one']);
  assert.equal(pauses.length, 3);
  assert.ok(pauses[0] >= 400 && pauses[0] <= 600 && pauses[2] >= 3000 && pauses[2] <= 4500, String(pauses));
});

test('after four attempts it gives up', async () => {
  service(new TypeError('offline'));
  await assert.rejects(post('/client/tokens', {}), { code: 'network_error', type: 'api_connection_error' });
  assert.equal(sent.length, 4);
});

test('a service that hangs is given up after 25 seconds in all', async (t) => {
  let now = 0;
  t.mock.method(performance, 'now', () => now);
  const timers = [];
  t.mock.method(globalThis, 'setTimeout', (run, ms) => {
    timers.push(ms);
    wait(() => ((now += ms), run()), 0);
    return 0;
  });
  globalThis.fetch = (path, { signal }) => {
    sent.push(path);
    return new Promise((_, reject) => signal.addEventListener('abort', reject));
  };
  await assert.rejects(post('/client/tokens', {}), { code: 'timeout', type: 'api_connection_error' });
  assert.ok(sent.length > 1 && now <= 25_000, `${sent.length} attempts in ${timers}`);
});

test('a server without words is an internal error', async () => {
  service([500, '<html>']);
  await assert.rejects(post('/client/tokens', {}), { code: 'internal_error', type: 'api_error' });
});

test('a refusal is final and keeps only what the page may see', async () => {
  service([422, error('invalid_number', { field: 'card.number', request_id: 'req_1', stack: 'x' })]);
  await assert.rejects(post('/client/tokens', {}), (caught) => {
    assert.deepEqual(caught, {
      message: 'm', code: 'invalid_number', type: 't', field: 'card.number', request_id: 'req_1',
    });
    return true;
  });
  assert.equal(sent.length, 1);
});

test('a limit tells how long to wait, and is not pressed', async () => {
  service([429, error('rate_limited'), { 'Retry-After': '30' }]);
  await assert.rejects(post('/client/tokens', {}), { code: 'rate_limited', retry_after: 30 });
  assert.equal(sent.length, 1);
});

test('a short limit is waited for, a long one is not', async () => {
  service([429, error('rate_limited', { retry_after: 1 })], [201, { token: 'tok_1' }]);
  assert.equal((await post('/client/session', {})).body.token, 'tok_1');
  assert.ok(pauses[0] >= 1000 && pauses[0] <= 1500, String(pauses));
  service([429, error('rate_limited', { retry_after: 60 })]);
  sent = [];
  await assert.rejects(post('/client/session', {}), { code: 'rate_limited', retry_after: 60 });
  assert.equal(sent.length, 1);
});

test('a limit of a server in between is a limit too', async () => {
  service([429, '<html>', { 'Retry-After': '30' }]);
  const limit = { code: 'rate_limited', type: 'rate_limit_error', retry_after: 30 };
  await assert.rejects(post('/client/session', {}), limit);
  service([429, '<html>', { 'Retry-After': '1' }], [201, { token: 'tok_1' }]);
  assert.equal((await post('/client/session', {})).body.token, 'tok_1');
});

test('a challenge is no error of the page, and is not waited for', async () => {
  const challenge = { seed: 's', bits: 13, puzzles: 16 };
  service([429, error('card_testing_suspected', { challenge, retry_after: 1 })]);
  const caught = await post('/client/tokens', {}, KEY).catch((thrown) => thrown);
  assert.ok(caught instanceof Challenged);
  assert.deepEqual(caught.challenge, challenge);
  assert.equal(caught.error.challenge, undefined);
  assert.equal(sent.length, 1);
});
