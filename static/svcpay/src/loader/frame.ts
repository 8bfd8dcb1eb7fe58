import { channel, type Channel, type Handlers } from '../shared/channel';
import { fault, type PayError } from '../shared/errors';
import { HELLO } from '../shared/protocol';

const LOAD_TIMEOUT = 15_000;
const ANSWER_TIMEOUT = 5_000;
/** How long a loaded frame may take to send its first message, in milliseconds. */
const HERE_TIMEOUT = 3_000;
/** Pauses before each further attempt to load a frame, in milliseconds. */
const PAUSES = [500, 3_000];

export interface FrameOptions {
  /** Absolute address on the pay origin. */
  url: string;
  title: string;
  /** Lets its pages open windows of their own, and leaves it to the payer to try again. */
  modal?: boolean;
  /** A frame that loads already. */
  spare?: Spare;
  /** The error of a frame that never answers, also if it is loaded again; else it says what the last attempt did. */
  lost?: PayError;
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

/** A frame that loads out of sight, for a place in the page that it takes later. */
export interface Spare {
  id: string;
  element: HTMLIFrameElement;
  loaded: boolean;
}

type Movable = Element & { moveBefore?(node: Node, before: null): void };

function makeFrame(url: string, title: string, windows = ''): HTMLIFrameElement {
  const element = document.createElement('iframe');
  element.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms' + windows);
  element.title = title;
  element.src = url;
  return element;
}

/** Begins to load a frame, in browsers that can move it without loading it again. */
export function spareFrame(id: string, url: string, title: string): Spare | undefined {
  if (!(document.body as Movable | null)?.moveBefore) return undefined;
  const spare: Spare = { id, element: makeFrame(url, title), loaded: false };
  spare.element.style.display = 'none';
  spare.element.onload = () => (spare.loaded = true);
  document.body.append(spare.element);
  return spare;
}

/** Puts a frame into `parent` and, once it has loaded, hands it the one port it will accept. */
export function openFrame(
  parent: Element,
  { url, title, modal, spare, lost, handlers, settings, opened, failed }: FrameOptions,
): Frame {
  const element =
    spare?.element ?? makeFrame(url, title, modal ? ' allow-popups allow-popups-to-escape-sandbox' : '');
  const pauses = modal ? [] : [...PAUSES];
  let here = false;
  let link: Channel | undefined;
  let timer = 0;
  /** Waits for the frame; fails with `error` if it takes too long. */
  const expect = (error: PayError, patience: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const pause = here ? undefined : pauses.shift();
      if (pause) timer = setTimeout(reload, pause);
      else failed((!here && lost) || error);
    }, patience);
  };
  /** The frame may only be slow: then it works as soon as it answers. */
  const arrived = () => {
    here = true;
    expect(BLOCKED, ANSWER_TIMEOUT);
  };
  const reload = () => {
    element.contentWindow?.location.replace(url); // Without an entry in the page's history.
    expect(TIMEOUT, LOAD_TIMEOUT);
  };

  expect(TIMEOUT, LOAD_TIMEOUT);
  const greet = (element.onload = () => {
    link?.close(fault('not_ready', 'The payment form was reloaded.'));
    const { port1, port2 } = new MessageChannel();
    here = false;
    const current = (link = channel(port1, { ...handlers, here: arrived }));
    element.contentWindow!.postMessage(HELLO, new URL(url).origin, [port2]);
    expect(BLOCKED, modal ? ANSWER_TIMEOUT : HERE_TIMEOUT);
    current.call('init', settings()).then(
      (answer) => {
        clearTimeout(timer);
        opened(current, answer);
      },
      (error: PayError) => {
        if (current !== link) return;
        clearTimeout(timer);
        failed(error);
      },
    );
  });
  try {
    (parent as Movable).moveBefore!(element, null);
    if (spare!.loaded) greet();
  } catch {
    parent.append(element); // A new frame, or one that loads again in a place that is not in the page.
  }

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

const TIMEOUT = fault('frame_timeout', 'The payment form did not load in time.', 'api_connection_error');
const BLOCKED = fault(
  'frame_blocked',
  'The payment form could not be shown on this page. Check the allowed origins of the public key and the Content-Security-Policy of the page.',
);
/** The error of a field whose frame never answers. */
export const UNAVAILABLE = fault(
  'frame_unavailable',
  'The payment field did not load. Try again.',
  'api_connection_error',
);
