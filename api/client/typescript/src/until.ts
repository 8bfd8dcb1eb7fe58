import { setTimeout as sleep } from "node:timers/promises"
import { backOff } from "./transport.js"

/**
 * Reads an object until it is as wanted, after ever longer pauses of at most 8 seconds, or until the signal ends it:
 *
 *     await until(() => client.refunds.get(id), (refund) => refund.status !== "pending")
 */
export async function until<T>(read: () => Promise<T>, wanted: (object: T) => boolean, signal?: AbortSignal): Promise<T> {
  for (let n = 0; ; n++) {
    const object = await read()
    if (wanted(object)) return object
    await sleep(backOff(n), undefined, { signal })
  }
}
