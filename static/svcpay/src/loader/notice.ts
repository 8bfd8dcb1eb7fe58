import { fault } from '../shared/errors';

/** Throws at a mistake in the page's own code, shaped like every other error of the library. */
export function raise(code: string, message: string): never {
  throw Object.assign(new Error(message), fault(code, message));
}

/** Warns of an option that a field of this type does not have. */
export function ignored(option: string, type: string): void {
  console.warn(`[SvcPay] The option "${option}" does not apply to ${type} and is ignored.`);
}

/** Tells the page's developer, without stopping the page. */
export function complain(message: string): void {
  console.error(`[SvcPay] ${message}`);
}
