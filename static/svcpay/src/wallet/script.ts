import type { WalletSeat } from '../loader/wallet';

const loading = new Map<string, Promise<void>>();

/** Loads a wallet's script into the page once; rejects when it cannot be had, and tries again the next time. */
export function loadScript(seat: WalletSeat, src: string): Promise<void> {
  let script = loading.get(src);
  if (!script) {
    script = insert(seat.scriptURL(src));
    loading.set(src, script);
    script.catch(() => loading.delete(src));
  }
  return script;
}

function insert(src: string): Promise<void> {
  const script = document.createElement('script');
  return new Promise<void>((resolve, reject) => {
    Object.assign(script, { src, async: true, onload: () => resolve(), onerror: reject });
    document.head.append(script);
  }).catch((failed) => {
    script.remove();
    throw failed;
  });
}
