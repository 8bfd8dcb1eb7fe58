import { asFault, fault, type PayError } from './errors';

/** What one end of a port answers to, by name. A thrown PayError reaches the caller. */
export type Handlers = Record<string, (body: any) => unknown>;

/** Requests and notices over one MessagePort. */
export interface Channel {
  /** Asks the other end; rejects with its PayError, after `timeout` milliseconds, or on close. */
  call(name: string, body?: unknown, timeout?: number): Promise<any>;
  /** Tells the other end, expecting no answer. */
  send(name: string, body?: unknown): void;
  /** Ends the channel; what is awaited, and every later call, rejects with `reason`. */
  close(reason: PayError): void;
}

/** What goes over a port: a notice, a request (`call`) or the answer to one (`reply`). */
export interface Message {
  name?: string;
  body?: unknown;
  call?: number;
  reply?: number;
  error?: PayError;
}

/** Starts talking over `port`. Names that `handlers` itself does not hold get no answer. */
export function channel(port: MessagePort, handlers: Handlers): Channel {
  const waiting = new Map<number, (message: Message) => void>();
  let last = 0;
  let ended: PayError | undefined;

  const post = (message: Message) => port.postMessage(message);
  const answer = async ({ name, body, call }: Message) => {
    if (!name || !Object.hasOwn(handlers, name)) return;
    try {
      const result = await handlers[name]!(body);
      if (call) post({ reply: call, body: result });
    } catch (caught) {
      if (call) post({ reply: call, error: asFault(caught) });
    }
  };
  port.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.reply) waiting.get(data.reply)?.(data);
    else void answer(data);
  };

  return {
    send: (name, body) => post({ name, body }),
    call: (name, body, timeout = 0) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(ended);
        const call = ++last;
        const late = fault('timeout', 'The payment form did not answer in time.', 'api_connection_error');
        const timer = timeout ? setTimeout(() => settle({ error: late }), timeout) : 0;
        const settle = ({ error, body: result }: Message) => {
          clearTimeout(timer);
          waiting.delete(call);
          if (error) reject(error);
          else resolve(result);
        };
        waiting.set(call, settle);
        post({ name, body, call });
      }),
    close: (reason) => {
      ended = reason;
      port.close();
      for (const settle of [...waiting.values()]) settle({ error: reason });
    },
  };
}
