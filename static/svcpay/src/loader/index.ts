import { instanceFor } from './instance';
import { raise } from './notice';

/** The pay origin is where this very file came from; a page cannot point the library elsewhere. */
function ownAddress(): string {
  const script = document.currentScript as HTMLScriptElement | null;
  if (!script?.src) raise('not_ready', 'svcpay.js must be loaded by a <script src> of its own.');
  return script.src;
}

Object.assign(window, { SvcPay: instanceFor(new URL(ownAddress()).origin) });
