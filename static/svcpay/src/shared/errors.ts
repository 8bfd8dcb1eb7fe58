/** What went wrong, in the one shape that the library, the frames and the service share. */
export interface PayError {
  message: string;
  code: string;
  type: string;
  /** The input or token data member at fault, for example "card.number". */
  field?: string;
  /** Seconds after which a retry can succeed. */
  retry_after?: number;
  request_id?: string;
  /** The page about the code. */
  doc_url?: string;
}

/** The page about errors on the pay origin, from which scripts and frames come. */
const DOCS =
  globalThis.document &&
  new URL('/docs/errors#', (document.currentScript as HTMLScriptElement | null)?.src || location.href).href;

/** An error with the type "integration_error" unless another is given. */
export function fault(code: string, message: string, type = 'integration_error', field?: string): PayError {
  const error: PayError = { message, code, type };
  if (field) error.field = field;
  if (DOCS) error.doc_url = DOCS + code;
  return error;
}

/** Turns whatever was caught into an error that says nothing about its origin. */
export function asFault(caught: unknown): PayError {
  const known = caught as Partial<PayError> | null;
  return known && typeof known.code === 'string' && typeof known.type === 'string'
    ? (known as PayError)
    : fault('internal_error', 'Something went wrong. Please try again.', 'api_error');
}
