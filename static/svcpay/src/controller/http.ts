import { fault, type PayError } from '../shared/errors';

/** Milliseconds before the second, third and fourth attempt, each lengthened at random by up to half. */
const PAUSES = [400, 1200, 3000];
const ATTEMPT_TIMEOUT = 15_000;
/** All attempts together take no longer than this, in milliseconds. */
const BUDGET = 25_000;
/** A limit that ends within this many seconds is waited for: many visitors may share one address. */
const SHORT_WAIT = 3;

/** An answer of the service: its body, and its Date header in milliseconds. */
export interface Answer {
  body: any;
  date: number;
}

/**
 * Posts JSON to the service. What may have been lost on the way (no answer, 5xx, a first attempt still in work) is sent
 * again with the same headers, so that an Idempotency-Key holds. After a rate limit it is sent again too, if the wait
 * that the service names is short.
 */
export async function post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const end = performance.now() + BUDGET;
  for (let attempt = 0; ; attempt++) {
    try {
      return await once(path, body, headers, Math.min(ATTEMPT_TIMEOUT, end - performance.now()));
    } catch (caught) {
      if (caught instanceof Challenged) throw caught;
      const failure = caught as Failure;
      const pause = PAUSES[attempt];
      if (!failure.again || pause === undefined) throw failure.error;
      const wait = Math.max(pause, (failure.wait ?? 0) * 1000) * (1 + Math.random() / 2);
      if (performance.now() + wait >= end) throw failure.error;
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

/** Work that the service asks for before it takes a request: see proof/index.ts. */
export interface Challenge {
  seed: string;
  bits: number;
  puzzles: number;
}

/** An error that asks for work. It never reaches the page. */
export class Challenged {
  constructor(
    readonly challenge: Challenge,
    readonly error: PayError,
  ) {}
}

interface Failure {
  error: PayError;
  again: boolean;
  /** Seconds before the service takes the request again. */
  wait?: number;
}

async function once(path: string, body: unknown, headers: Record<string, string>, patience: number): Promise<Answer> {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), patience);
  let response: Response;
  let answer: any;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
      credentials: 'omit',
      signal: abort.signal,
    });
    answer = await response.json().catch(() => undefined);
  } catch {
    throw { error: unreachable(abort.signal.aborted), again: true } satisfies Failure;
  } finally {
    clearTimeout(timer);
  }
  if (response.ok && answer) return { body: answer, date: Date.parse(response.headers.get('Date') ?? '') };
  const error = refusal(response, answer?.error);
  if (answer?.error?.challenge) throw new Challenged(answer.error.challenge, error);
  const wait = response.status === 429 ? error.retry_after : undefined;
  const again = response.status >= 500 || response.status === 409 || (!!wait && wait <= SHORT_WAIT);
  throw { error, again, wait } satisfies Failure;
}

function unreachable(late: boolean): PayError {
  return late
    ? fault('timeout', 'The payment service did not answer in time. Please try again.', 'api_connection_error')
    : fault(
        'network_error',
        'The payment service could not be reached. Check the connection and try again.',
        'api_connection_error',
      );
}

/** Keeps the members of an error that the page may see. */
function refusal(response: Response, sent: Partial<PayError> | undefined): PayError {
  // One from a server in between has no words of ours.
  const other =
    response.status === 429
      ? fault('rate_limited', 'Too many attempts. Please wait a moment and try again.', 'rate_limit_error')
      : fault('internal_error', 'The payment service had a problem. Please try again.', 'api_error');
  const error = fault(
    sent?.code ?? other.code,
    sent?.message ?? other.message,
    sent?.type ?? other.type,
    sent?.field,
  );
  const wait = sent?.retry_after ?? Number(response.headers.get('Retry-After'));
  if (wait) error.retry_after = wait;
  if (sent?.request_id) error.request_id = sent.request_id;
  return error;
}
