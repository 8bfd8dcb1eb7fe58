import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './load.mjs';

const { channel } = await load('shared/channel');
const { randomId } = await load('shared/random');
const { accept } = await load('shared/accept');
const { HELLO } = await load('shared/protocol');

function pair(handlers) {
  const { port1, port2 } = new MessageChannel();
  return [channel(port1, {}), channel(port2, handlers)];
}

test('calls, notices, errors, time-outs', async (t) => {
  const noticed = [];
  const [near, far] = pair({
    double: (n) => n * 2,
    refuse: () => { throw { code: 'invalid_number', type: 'validation_error', message: 'no' }; },
    crash: () => { throw new TypeError('secret detail'); },
    notice: (body) => void noticed.push(body),
    never: () => new Promise(() => {}),
  });
  t.after(() => { near.close({}); far.close({}); });
  near.send('notice', 'hello');
  assert.equal(await near.call('double', 21), 42);
  assert.deepEqual(noticed, ['hello']);
  await assert.rejects(near.call('refuse'), { code: 'invalid_number' });
  await assert.rejects(
    near.call('crash'),
    ({ code, message }) => code === 'internal_error' && !message.includes('secret'),
  );
  await assert.rejects(near.call('never', null, 20), { code: 'timeout' });
  await assert.rejects(near.call('constructor', null, 20), { code: 'timeout' }, 'inherited names are no handlers');
});

test('closing rejects what is awaited and what comes later', async () => {
  const [near, far] = pair({ never: () => new Promise(() => {}) });
  const waiting = near.call('never');
  near.close({ code: 'field_not_mounted', type: 'integration_error' });
  far.close({});
  await assert.rejects(waiting, { code: 'field_not_mounted' });
  await assert.rejects(near.call('never'), { code: 'field_not_mounted' });
});

test('ids are 128 random bits', () => {
  const ids = Array.from({ length: 50 }, randomId);
  for (const id of ids) assert.match(id, /^[\da-f]{32}$/);
  assert.equal(new Set(ids).size, 50);
});

test('a frame accepts one port, once, from its parent alone', (t) => {
  let hears;
  const parent = {};
  Object.assign(globalThis, {
    window: {},
    parent,
    addEventListener: (_, listener) => (hears = listener),
    removeEventListener: (_, listener) => hears === listener && (hears = undefined),
  });
  t.after(() => {
    for (const name of ['window', 'parent', 'addEventListener', 'removeEventListener']) delete globalThis[name];
  });
  const accepted = [];
  const sent = [];
  const port = { postMessage: (message) => sent.push(message) };
  accept((port, origin) => accepted.push([port, origin]));
  const hello = { source: parent, data: HELLO, ports: [port], origin: 'https://shop.example' };
  for (const forged of [{ source: {} }, { data: 'hello' }, { data: { HELLO } }, { ports: [] }])
    hears({ ...hello, ...forged });
  assert.deepEqual(accepted, []);
  hears(hello);
  assert.deepEqual(accepted, [[port, 'https://shop.example']]);
  assert.deepEqual(sent, [{ name: 'here' }], 'the page reads that the frame is there');
  assert.equal(hears, undefined, 'nothing listens for a second hello');
});
