import { HELLO } from './protocol';

/**
 * Accepts the page's port exactly once and from the embedding page alone. The origin is the one the
 * browser vouches for; a forged or second hello gets no answer, because nothing listens for it.
 */
export function accept(start: (port: MessagePort, pageOrigin: string) => void): void {
  if (window === parent) return;
  addEventListener('message', function hello(event) {
    const [port] = event.ports;
    if (event.source !== parent || event.data !== HELLO || !port) return;
    removeEventListener('message', hello);
    start(port, event.origin);
    port.postMessage({ name: 'here' });
  });
}
