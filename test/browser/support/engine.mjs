// Browsers of all three engines, driven as the WebDriver standard has it: Chromium and WebKitGTK by their drivers, over
// HTTP; Firefox over its own socket, whose commands are those of the standard.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** The name that the standard gives references to elements. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** How long something in a page is waited for, in ms. */
const patience = 20_000;

/** How long a command may take, in ms. */
const limit = 60_000;

/** Firefox's names of the commands below. */
const MARIONETTE = {
  url: 'WebDriver:Navigate',
  back: 'WebDriver:Back',
  'execute/async': 'WebDriver:ExecuteAsyncScript',
  frame: 'WebDriver:SwitchToFrame',
  click: 'WebDriver:ElementClick',
  actions: 'WebDriver:PerformActions',
};

export const ENGINES = { Chromium: chromium, Firefox: firefox, WebKit: webkit };

/** Starts a browser; `close` ends it. `send(command, body, id)` is a command, of an element if there is an id. */
export async function startEngine(name) {
  const running = [];
  const close = async () => {
    for (const end of running.reverse()) await end();
  };
  try {
    const send = await ENGINES[name](running);
    return { ...pageOf(send), name, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What tests do in a page, whatever the engine. */
function pageOf(send) {
  const run = async (action, ...args) => {
    const script = `const [args, done] = arguments;
      Promise.resolve().then(() => (${action})(...args))
        .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error?.message ?? error) }));`;
    const result = await send('execute/async', { script, args: [args] });
    if (!result || result.error) throw new Error(result?.error ?? 'the page went away');
    return result.value;
  };
  /** Waits until `action` gives something, also in a page that is only being loaded. */
  const until = async (action, ...args) => {
    for (const end = Date.now() + patience; ; await sleep(50)) {
      const value = await run(action, ...args).catch((error) => Date.now() > end && Promise.reject(error));
      if (value) return value;
      assert.ok(Date.now() < end, `did not come true: ${action} with ${args}`);
    }
  };
  /** An element, also one inside shadow roots. */
  const find = async (selector) => {
    const found = await until((wanted) => {
      const all = (root) => [root, ...[...root.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
        (shadowRoot ? all(shadowRoot) : []))];
      return all(document).map((root) => root.querySelector(wanted)).find(Boolean);
    }, selector);
    return found[ELEMENT];
  };
  /** Runs `action` inside the frames that the selectors lead through, each in the one before. */
  const within = async (selectors, action) => {
    for (const selector of selectors) await send('frame', { id: { [ELEMENT]: await find(selector) } });
    try {
      return await action();
    } finally {
      await send('frame', { id: null });
    }
  };
  const click = async (selector) => send('click', {}, await find(selector));
  const type = (text) =>
    send('actions', {
      actions: [{
        type: 'key',
        id: 'keyboard',
        actions: [...text].flatMap((value) => [{ type: 'keyDown', value }, { type: 'keyUp', value }]),
      }],
    });
  return { run, until, within, click, type, goto: (url) => send('url', { url }), back: () => send('back', {}) };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

process.once('SIGTERM', () => process.exit(1)); // by the test runner, and what was started ends, too

/** Starts a program that ends with the tests. */
function start(running, program, args, options) {
  const child = spawn(program, args, { stdio: 'ignore', ...options });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise((resolve) => child.once('exit', resolve).once('error', resolve));
  running.push(async () => {
    child.kill();
    await Promise.race([ended, sleep(5_000, undefined, { ref: false })]);
    child.kill('SIGKILL');
  });
  return child;
}

/** Asks until something answers. */
async function answering(ask) {
  for (const end = Date.now() + patience; ; await sleep(100)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
  }
}

/** A session at a driver on a port, which has just been started. */
async function session(running, port, capabilities) {
  const root = `http://127.0.0.1:${port}/session`;
  const post = async (address, body) => {
    const signal = AbortSignal.timeout(limit);
    const response = await fetch(address, { method: 'POST', body: JSON.stringify(body), signal });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };
  await answering(() => fetch(`http://127.0.0.1:${port}/status`));
  const { sessionId } = await post(root, { capabilities: { alwaysMatch: capabilities } });
  running.push(() => fetch(`${root}/${sessionId}`, { method: 'DELETE' }).catch(() => {}));
  await post(`${root}/${sessionId}/timeouts`, { script: 30_000 });
  return (command, body, id) => post(`${root}/${sessionId}/${id ? `element/${id}/` : ''}${command}`, body);
}

async function chromium(running) {
  const port = await freePort();
  start(running, 'chromedriver', [`--port=${port}`]);
  const args = ['--headless=new', '--disable-background-networking', '--site-per-process'];
  if (process.getuid() === 0) args.push('--no-sandbox');
  return session(running, port, { 'goog:chromeOptions': { binary: process.env.CHROMIUM, args } });
}

/** WebKitGTK draws on a display. */
async function webkit(running) {
  const display = start(running, 'Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const number = await new Promise((resolve, reject) => {
    display.once('error', reject).once('exit', () => reject(new Error('the display did not start')));
    display.stdio[3].once('data', (data) => resolve(String(data).trim()));
  });
  const port = await freePort();
  const env = { ...process.env, DISPLAY: `:${number}`, NO_AT_BRIDGE: '1', LIBGL_ALWAYS_SOFTWARE: '1' };
  start(running, 'WebKitWebDriver', [`--port=${port}`], { env });
  const libraries = '/usr/lib/' + readdirSync('/usr/lib').find((name) => name.endsWith('-linux-gnu'));
  const version = readdirSync(libraries).find((name) => /^webkit(2)?gtk-[\d.]+$/.test(name));
  const binary = join(libraries, version, 'MiniBrowser');
  return session(running, port, { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } });
}

async function firefox(running) {
  const profile = mkdtempSync(join(tmpdir(), 'svcpay-firefox-'));
  running.push(() => rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  const port = await freePort();
  writeFileSync(join(profile, 'user.js'), `user_pref("marionette.port", ${port});
    user_pref("datareporting.policy.dataSubmissionEnabled", false);
    user_pref("app.update.disabledForTesting", true);
    user_pref("network.captive-portal-service.enabled", false);
    user_pref("network.connectivity-service.enabled", false);`);
  const env = { ...process.env, HOME: profile, MOZ_HEADLESS: '1' };
  start(running, 'firefox-esr', ['--marionette', '--no-remote', '--profile', profile], { env });
  const socket = await answering(() => new Promise((resolve, reject) => {
    const attempt = connect(port, '127.0.0.1', () => resolve(attempt)).once('error', reject);
  }));
  running.push(() => socket.destroy());
  const send = conversation(socket);
  await send('WebDriver:NewSession', { timeouts: { script: 30_000 } });
  return async (command, body, id) => {
    const frame = command === 'frame' && body.id ? { element: body.id[ELEMENT] } : body;
    const result = await send(MARIONETTE[command], id ? { ...body, id } : frame);
    return result && 'value' in result ? result.value : result;
  };
}

/** Sends commands over Firefox's socket, where every message is its length, a colon and JSON. */
function conversation(socket) {
  const waiting = new Map();
  let received = Buffer.alloc(0);
  let last = 0;
  socket.on('data', (data) => {
    received = Buffer.concat([received, data]);
    for (;;) {
      const colon = received.indexOf(':');
      const length = Number(received.subarray(0, colon));
      if (colon < 0 || received.length < colon + 1 + length) return;
      const message = JSON.parse(received.subarray(colon + 1, colon + 1 + length));
      received = received.subarray(colon + 1 + length);
      if (!Array.isArray(message)) continue; // the greeting
      const [, id, error, result] = message;
      const { resolve, reject } = waiting.get(id);
      waiting.delete(id);
      if (error) reject(new Error(`${error.error}: ${error.message}`));
      else resolve(result);
    }
  });
  socket.on('close', () => waiting.forEach(({ reject }) => reject(new Error('Firefox is gone'))));
  return (command, parameters) => new Promise((resolve, reject) => {
    const text = JSON.stringify([0, ++last, command, parameters]);
    waiting.set(last, { resolve, reject });
    setTimeout(() => reject(new Error(`Firefox does not answer ${command}`)), limit).unref();
    socket.write(`${Buffer.byteLength(text)}:${text}`);
  });
}
