import { channel, type Channel, type Handlers } from './channel';
import { fault } from './errors';
import { JOIN } from './protocol';

/** Finds the controller of this frame's instance among the page's frames: only a same-origin one shows its mark. */
function controller(): Window | undefined {
  const instance = new URLSearchParams(location.search).get('i');
  for (let at = 0; at < parent.length; at++) {
    try {
      const frame = parent[at] as (Window & { svcpayController?: string }) | undefined;
      if (instance && frame?.svcpayController === instance) return frame;
    } catch {
      // A frame of another origin: certainly not the controller.
    }
  }
  return undefined;
}

/** Joins the controller over a port of their own, on which alone payment data travels. */
export function joinController(handlers: Handlers): Channel {
  const frame = controller();
  if (!frame) throw fault('not_ready', 'The payment service frame of this field is missing.');
  const { port1, port2 } = new MessageChannel();
  const link = channel(port1, handlers);
  frame.postMessage(JOIN, location.origin, [port2]);
  return link;
}
