import { channel, type Channel, type Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import { HELLO } from '../shared/protocol';

const LOAD_TIMEOUT = 15_000;
const ANSWER_TIMEOUT = 5_000;

export interface FrameOptions {
  /** Absolute address on the pay origin. */
  url: string;
  title: string;
  /** Lets its pages open windows of their own. */
  popups?: boolean;
  /** What the page's end of the port answers to. */
  handlers: Handlers;
  /** The body of the first request over the port. */
  settings(): unknown;
  /** Runs with the frame's answer, again after each reload (a page that moves the frame reloads it). */
  opened(link: Channel, answer: any): void;
  failed(error: PayError): void;
}

/** A frame of the pay origin in the page. */
export interface Frame {
  element: HTMLIFrameElement;
  close(reason: PayError): void;
}

/** Puts a frame into `parent` and, once it has loaded, hands it the one port it will accept. */
export function openFrame(
  parent: Element,
  { url, title, popups, handlers, settings, opened, failed }: FrameOptions,
): Frame {
  const element = document.createElement('iframe');
  const windows = popups ? ' allow-popups allow-popups-to-escape-sandbox' : '';
  element.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms' + windows);
  element.title = title;
  element.src = url;
  let link: Channel | undefined;

  const timer = setTimeout(
    () => failed(fault('frame_timeout', 'The payment form did not load in time.', 'api_connection_error')),
    LOAD_TIMEOUT,
  );
  element.onload = () => {
    clearTimeout(timer);
    link?.close(fault('not_ready', 'The payment form was reloaded.'));
    const { port1, port2 } = new MessageChannel();
    const current = (link = channel(port1, handlers));
    element.contentWindow!.postMessage(HELLO, new URL(url).origin, [port2]);
    // Where it only is slow, it works as soon as it answers.
    const late = setTimeout(() => failed(blocked), ANSWER_TIMEOUT);
    current
      .call('init', settings())
      .finally(() => clearTimeout(late))
      .then(
        (answer) => opened(current, answer),
        (error: PayError) => current === link && failed(error),
      );
  };
  parent.append(element);

  return {
    element,
    close(reason) {
      clearTimeout(timer);
      element.onload = null;
      element.remove();
      if (link) link.close(reason);
      else failed(reason);
    },
  };
}

const blocked = fault(
  'frame_blocked',
  'The payment form could not be shown on this page. Check the allowed origins of the public key and the Content-Security-Policy of the page.',
);
