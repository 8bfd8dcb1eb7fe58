import { fault } from '../shared/errors';

/** Throws at a mistake in the page's own code, shaped like every other error of the library. */
export function raise(code: string, message: string): never {
  throw Object.assign(new Error(message), fault(code, message));
}

/** Tells the page's developer, without stopping the page. */
export function complain(message: string): void {
  console.error(`[SvcPay] ${message}`);
}
