export type Members = Record<string, any>;

/** True of an object with members: no list, not null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
