import { fault } from '../shared/errors';

/** Throws at a mistake in the page's own code, shaped like every other error of the library. */
export function raise(code: string, message: string): never {
  throw Object.assign(new Error(message), fault(code, message));
}

/** Warns of something that does not apply and is ignored. */
export function warn(message: string): void {
  console.warn(`[SvcPay] ${message} and is ignored.`);
}

/** Warns of options that a field of this type does not have, and returns them. */
export function ignored(options: object | undefined, known: string[], type: string): string[] {
  const others = Object.keys(options ?? {}).filter((name) => !known.includes(name));
  for (const name of others) warn(`The option "${name}" does not apply to ${type}`);
  return others;
}

/** Tells the page's developer, without stopping the page. */
export function complain(message: string): void {
  console.error(`[SvcPay] ${message}`);
}
