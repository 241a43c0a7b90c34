// What is told of an event, as text: the body of a webhook, and of those who follow.
import { isoTime } from '../../base/lib/time.ts';

/** Of a webhook that is tried out; without the schemas of the catalogue, where its `testKind` is. */
export const testType = 'webhook.test';

/** `data` is JSON; the same bytes however often it is told. */
export function eventText({ type, at, data }: { type: string; at: number; data: string }): string {
  return `{"type":${JSON.stringify(type)},"timestamp":"${isoTime(at)}","data":${data}}`;
}
