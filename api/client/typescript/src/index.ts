import { Services } from "./services.gen.js"
import { type Settings, Transport } from "./transport.js"

export type * from "./contract.gen.js"
export { version } from "./contract.gen.js"
export { type Failure, type Problem, SvcPayError } from "./errors.js"
export type { Listing, Page } from "./lists.js"
export type { FileContent, Options, ResponseFacts, Settings } from "./transport.js"
export { until } from "./pause.js"
export {
  type DeliveryHeaders,
  type EventObject,
  signWebhook,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
} from "./webhook.js"

/** Calls the API as one application. */
export class Client extends Services {
  constructor(settings: Settings) {
    super(new Transport(settings))
  }
}
