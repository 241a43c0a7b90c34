// What the package offers.
export type { EventType, FollowedEvent, FollowOptions, MissingEvents } from './event-following.ts';
export {
  type Answer,
  type ClientOptions,
  createClient,
  type FootlightClient,
} from './footlight-client.ts';
export { type FieldProblem, FootlightError } from './footlight-error.ts';
export type { components, operations, paths } from './openapi.ts';
export type {
  DownloadPath,
  InitOf,
  JsonOf,
  LineOf,
  LinePath,
  PagedPath,
  PageOf,
  PathWith,
  RowOf,
} from './operation-types.ts';
export type { RetryOptions } from './retry.ts';
export { type WatchLinkOptions, watchLink } from './watch-link.ts';
export {
  type FootlightEvent,
  signWebhook,
  type VerifyOptions,
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
} from './webhook.ts';
