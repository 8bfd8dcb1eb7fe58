import { raise, warn } from './notice';

export type Handler = (event: any) => void;

const NAMES = [
  'ready', 'change', 'focus', 'blur', 'cardbrand', 'achAuthorized', 'acssAuthorized', 'dafAuthorized', 'dafCanceled',
  'walletAButtonClick', 'walletAAuthorized', 'walletACanceled', 'walletAIncompatible', 'walletBReady',
  'walletBButtonReady', 'walletBButtonClick', 'walletBAuthorized', 'walletBIncompatible',
];

/** A handler that the page knows by another, which it runs once. */
type Once = Handler & { of?: Handler };

/** Handlers by event name; one that throws neither stops the others nor the library. */
export class Events {
  #handlers = new Map<string, Set<Once>>();

  on(name: string, handler: Handler): void {
    if (typeof handler !== 'function') raise('invalid_handler', `The handler of "${name}" must be a function.`);
    if (!NAMES.includes(name)) warn(`The event "${name}" does not exist`);
    if (!this.#handlers.has(name)) this.#handlers.set(name, new Set());
    this.#handlers.get(name)!.add(handler);
  }

  once(name: string, handler: Handler): void {
    const first: Once = (event) => {
      this.off(name, first);
      handler(event);
    };
    first.of = handler;
    this.on(name, first);
  }

  /** Removes one handler, or all of the event when none is given. */
  off(name: string, handler?: Handler): void {
    const handlers = this.#handlers.get(name);
    for (const each of handlers ?? []) if (!handler || each === handler || each.of === handler) handlers!.delete(each);
  }

  emit(name: string, event: unknown): void {
    for (const handler of [...(this.#handlers.get(name) ?? [])]) {
      try {
        handler(event);
      } catch (thrown) {
        console.error(thrown);
      }
    }
  }
}
