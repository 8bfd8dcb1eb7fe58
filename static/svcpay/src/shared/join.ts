import { channel, type Channel, type Handlers } from './channel';
import { GATHER, JOIN } from './protocol';

const instance = new URLSearchParams(location.search).get('i');

/** Finds the controller of this frame's instance among the page's frames: only a same-origin one shows its mark. */
function controller(): Window | undefined {
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

/**
 * Joins the controller over a port of their own, on which alone payment data travels: at once if it is there, and each
 * time that it calls, as a new one does when the page has moved or removed the last one's frame.
 */
export function joinController(handlers: Handlers, joined: (link: Channel) => void): void {
  const join = () => {
    const { port1, port2 } = new MessageChannel();
    controller()?.postMessage(JOIN, location.origin, [port2]);
    joined(channel(port1, handlers));
  };
  try {
    // On a channel: a controller does not find frames that are in shadow trees of the page.
    new BroadcastChannel(GATHER).onmessage = ({ data }) => {
      if (data === instance) join();
    };
  } catch {
    // Some browsers have no channels for people who block all cookies.
    addEventListener('message', ({ origin, data }) => {
      if (origin === location.origin && data === GATHER) join();
    });
  }
  join();
}
