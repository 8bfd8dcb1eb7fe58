import { fault } from '../shared/errors';
import { loadScript } from './script';

/** Where parts of the library are that only some field types need, by name. */
export type Parts = Record<string, { path: string; integrity: string }>;

const loading = new Map<string, Promise<unknown>>();

/**
 * Loads a part once and returns its exports (see `exportPart`). Rejects with a PayError if it does not load;
 * the next call tries again. The loader names the content, so anyone who pins the loader has pinned the part.
 */
export function loadPart<Exports>(payOrigin: string, name: string): Promise<Exports> {
  if (!loading.has(name)) {
    const part = request(payOrigin, name);
    loading.set(name, part);
    part.catch(() => loading.delete(name));
  }
  return loading.get(name) as Promise<Exports>;
}

async function request(payOrigin: string, name: string): Promise<unknown> {
  const { path, integrity } = SVCPAY_PARTS[name]!;
  const script = document.createElement('script');
  let exports: unknown;
  Object.assign(script, { integrity, crossOrigin: 'anonymous' });
  script.addEventListener(EXPORT, (event) => (exports = (event as CustomEvent).detail));
  await loadScript(payOrigin + path, script).finally(() => script.remove());
  if (!exports) throw fault('internal_error', 'Something went wrong. Please try again.', 'api_error');
  return exports;
}

const EXPORT = 'svcpay:part';

/** Hands what a part offers to the loader, while the part's script runs. */
export function exportPart(exports: unknown): void {
  document.currentScript!.dispatchEvent(new CustomEvent(EXPORT, { detail: exports }));
}
