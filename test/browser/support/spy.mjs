// What a curious merchant page can see: installed ahead of the library, it records every message,
// request and keystroke that passes through the page, and can search the page's globals.

/** Hooks everything that takes or brings content, and keeps a record as [channel, text]. */
function record(records) {
  const text = (value) => {
    if (typeof value === 'string') return value;
    try {
      return JSON.stringify(value) ?? String(value);
    } catch {
      return String(value);
    }
  };
  const note = (channel, ...values) => records.push([channel, values.map(text).join(' ')]);
  const hook = (object, name, channel) => {
    const original = object[name];
    object[name] = function (...args) {
      note(channel, ...args);
      return original.apply(this, args);
    };
  };
  hook(window, 'postMessage', 'message');
  hook(MessagePort.prototype, 'postMessage', 'port');
  hook(BroadcastChannel.prototype, 'postMessage', 'message');
  hook(window, 'fetch', 'request');
  hook(XMLHttpRequest.prototype, 'open', 'request');
  hook(XMLHttpRequest.prototype, 'send', 'request');
  hook(navigator, 'sendBeacon', 'request');
  hook(Storage.prototype, 'setItem', 'global');

  const received = (event) => {
    const channel =
      event.target instanceof MessagePort
        ? 'port'
        : event instanceof MessageEvent
          ? 'message'
          : event instanceof KeyboardEvent
            ? 'key'
            : 'input';
    note(channel, event.data ?? event.key ?? '');
  };
  const { addEventListener } = EventTarget.prototype;
  EventTarget.prototype.addEventListener = function (type, ...rest) {
    if (type === 'message') addEventListener.call(this, type, received);
    return addEventListener.call(this, type, ...rest);
  };
  const { set } = Object.getOwnPropertyDescriptor(MessagePort.prototype, 'onmessage');
  Object.defineProperty(MessagePort.prototype, 'onmessage', {
    set(handler) {
      addEventListener.call(this, 'message', received);
      set.call(this, handler);
    },
  });
  for (const type of ['message', 'keydown', 'beforeinput']) addEventListener.call(window, type, received, true);
}

/** Every text and number that can be reached from a value. */
function reachable(value, seen = new Set(), found = [], depth = 0) {
  if (typeof value === 'string' || typeof value === 'number') found.push(String(value));
  if (value === null || !['object', 'function'].includes(typeof value) || seen.has(value) || depth > 8) return found;
  if (value instanceof Node || value === window) return found;
  seen.add(value);
  if (value instanceof Map || value instanceof Set) for (const item of value) reachable(item, seen, found, depth + 1);
  for (const name of Reflect.ownKeys(value)) {
    try {
      reachable(value[name], seen, found, depth + 1);
    } catch {
      // A getter that wants another receiver holds nothing of its own.
    }
  }
  return found;
}

/** Leaves `spy` in the window, to be asked at the end. */
function install() {
  const records = [];
  const known = new Set([...Object.getOwnPropertyNames(window), 'spy']);
  record(records);
  const globals = () => {
    const added = Object.getOwnPropertyNames(window).filter((name) => !known.has(name));
    return [...added.flatMap((name) => reachable(window[name])), document.documentElement.outerHTML, location.href];
  };
  const texts = (channel) => records.filter((entry) => entry[0] === channel).map((entry) => entry[1]);
  window.spy = {
    /** How much there was to look at. */
    counts: () => ({ port: texts('port').length, global: globals().length }),
    /** The channels in which seven digits in a row of the number came by. */
    leaks(number) {
      const runs = Array.from({ length: number.length - 6 }, (_, at) => number.slice(at, at + 7));
      const holds = (text) => runs.some((run) => text.replace(/\D/g, '').includes(run));
      const looked = {
        global: [...globals(), ...texts('global')],
        // Keystrokes come one digit at a time.
        input: [texts('input').join('')],
        key: [texts('key').join('')],
        message: texts('message'),
        port: texts('port'),
        request: texts('request'),
      };
      return Object.keys(looked).filter((channel) => looked[channel].some(holds));
    },
  };
}

/** Source for a script ahead of the library. */
export const SPY = `(() => { ${record} ${reachable} ${install} install(); })();`;
