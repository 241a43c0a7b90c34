// One viewer of a channel as callers see them: every visit with what was watched when, what they said and shared.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import { readStoredAnswers } from '../../library/admission/registration.ts';
import { answersAnswer } from '../../library/admission/registration-docs.ts';
import { silenceKinds } from '../chat/chat-message.ts';
import { watchRecordAnswer, watchRecordView } from '../records/session.ts';
import { readSpans } from '../records/span.ts';
import { visitorAnswer, visitorView } from '../records/visitor.ts';
import { linesMax, visitsMax } from './viewer-visits-limits.ts';
import type { ViewerVisits } from './viewer-visits-store.ts';

const count = (description: string) => z.int().meta({ description });
const time = (description: string) => z.string().meta({ description });

export const viewerVisitsAnswer = z
  .object({
    viewer: visitorAnswer,
    shows: z
      .array(
        z.object({
          id: count('show id'),
          begin: time('when it began'),
          end: time('when it was live no more; empty while it is on'),
        }),
      )
      .meta({ description: 'those of which something was watched, the newest first' }),
    sessions: z
      .array(
        watchRecordAnswer.extend({
          entered: time('time of entering, to the second'),
          left: time('time of going offline, to the second'),
          watched: z
            .array(
              z.object({
                show: count('show id'),
                from_ms: count("from when, in milliseconds from the show's beginning on"),
                to_ms: count('until when'),
              }),
            )
            .nullable()
            .meta({
              description:
                'what was watched when; null where it was imported, or is from before that was kept',
            }),
        }),
      )
      .meta({ description: `visits, the newest first; at most ${visitsMax}` }),
    chat: z
      .array(z.object({ id: count('message id'), text: z.string(), sent_at: time('when') }))
      .meta({ description: `what they wrote, the newest first; at most ${linesMax}` }),
    shares: z
      .array(z.string())
      .meta({ description: `when they shared the page, the newest first; at most ${linesMax}` }),
    silences: z
      .array(
        z.object({
          kind: z.enum(silenceKinds),
          until: time('when it ends; empty for never'),
        }),
      )
      .meta({ description: 'whether they may not write, or not enter' }),
    registrations: z
      .array(
        z.object({
          video_id: z.int().nullable().meta({ description: 'of a video; null: of the channel' }),
          answers: answersAnswer,
          registered_at: time('when they filled the form in last'),
          ended_at: time('when it was taken back; else empty'),
        }),
      )
      .meta({ description: 'the registration forms that they filled in, the newest first' }),
  })
  .meta({ title: 'ViewerVisits' });

export function viewerVisitsView(
  { visitor, sessions, messages, shares, silences, registrations, shows }: ViewerVisits,
  channel: { id: number; name: string; account_id: number },
  { zone, now }: { zone: Zone; now: number },
): z.output<typeof viewerVisitsAnswer> {
  const ids = new Map(shows.map(({ id, begin_at }) => [begin_at, id]));
  return {
    viewer: visitorView(visitor, channel, zone),
    shows: shows.map(({ id, begin_at, end_at }) => ({
      id,
      begin: zone.dateTime(begin_at),
      end: end_at === null ? '' : zone.dateTime(end_at),
    })),
    sessions: sessions.map((row) => ({
      ...watchRecordView(row, zone),
      entered: zone.dateTime(row.entered_at),
      left: zone.dateTime(row.last_seen_at),
      watched: row.spans === null ? null : watchedOf(row.spans, ids),
    })),
    chat: messages.map(({ id, text, sent_at }) => ({ id, text, sent_at: zone.dateTime(sent_at) })),
    shares: shares.map(({ shared_at }) => zone.dateTime(shared_at)),
    silences: silences
      .filter(({ until }) => until === null || until > now)
      .map(({ kind, until }) => ({ kind, until: until === null ? '' : zone.dateTime(until) })),
    registrations: registrations.map(({ thing, answers, registered_at, ended_at }) => ({
      video_id: thing.startsWith('v') ? Number(thing.slice(1)) : null,
      answers: readStoredAnswers(answers),
      registered_at: zone.dateTime(registered_at),
      ended_at: ended_at === null ? '' : zone.dateTime(ended_at),
    })),
  };
}

function watchedOf(spans: string, ids: ReadonlyMap<number, number>) {
  return readSpans(spans).flatMap(({ show, from, to }) => {
    const id = ids.get(show);
    return id === undefined ? [] : { show: id, from_ms: from - show, to_ms: to - show };
  });
}
