import type { WalletSeat } from '../loader/wallet';

const loading = new Map<string, Promise<void>>();

/**
 * Loads a wallet's script into the page once; rejects with a PayError if it does not load, and tries again the next
 * time.
 */
export function loadScript(seat: WalletSeat, src: string): Promise<void> {
  let script = loading.get(src);
  if (!script) {
    script = seat.loadScript(src);
    loading.set(src, script);
    script.catch(() => loading.delete(src));
  }
  return script;
}
