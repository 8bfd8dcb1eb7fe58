/** The longest pause after so many, in milliseconds. */
export const backOff = (before: number) => Math.min(8000, 500 * 2 ** before)

/** Waits, and fails with the signal's reason if that comes first. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop)
      resolve()
    }, milliseconds)
    signal?.addEventListener("abort", stop, { once: true })
  })
}

/**
 * Reads an object until it is as wanted, after ever longer pauses of at most 8 seconds, or until the signal ends it:
 *
 *     await until(() => client.refunds.get(id), (refund) => refund.status !== "pending")
 */
export async function until<T>(
  read: () => Promise<T>,
  wanted: (object: T) => boolean,
  signal?: AbortSignal,
): Promise<T> {
  for (let n = 0; ; n++) {
    const object = await read()
    if (wanted(object)) return object
    await pause(backOff(n), signal)
  }
}
