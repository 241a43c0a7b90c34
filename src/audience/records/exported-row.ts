// A line of an export: the interface's fields as the interface shows them, then what they were made of, exactly.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import { answersAnswer } from '../../library/admission/registration-docs.ts';
import {
  type SessionRow,
  watchRecordAnswer,
  watchRecordExample,
  watchRecordView,
} from './session.ts';
import { readSpans, type Span } from './span.ts';
import { type VisitorRow, visitorAnswer, visitorExample, visitorView } from './visitor.ts';

const instant = (description: string) =>
  z.string().meta({ description: `${description}, to the millisecond, UTC (ISO 8601)` });

export const exportedSession = watchRecordAnswer
  .extend({
    ip: z.string().meta({ description: 'IP address at entering' }),
    online_ms: z.int().meta({ description: 'time online in milliseconds' }),
    watch_ms: z.int().meta({ description: 'time watched in milliseconds' }),
    entered_at: instant('time of entering'),
    last_seen_at: instant('time of going offline'),
  })
  .meta({ title: 'ExportedSession' });

/** A table has no column for what is a list. */
export const exportedSessionLine = exportedSession
  .extend({
    watched: z
      .array(
        z.object({
          show: instant(
            'beginning of the show: the `begin` that `channel.live` and `show.ended` tell with its `show_id`',
          ),
          from: instant('from when it was watched'),
          to: instant('until when'),
          position_ms: z.int().meta({
            description:
              "where in the show's media the picture was at `from`, in milliseconds; it went on with the clock",
          }),
        }),
      )
      .nullable()
      .meta({
        description:
          'what was watched when, in its order; the lengths come to `watch_ms`. Null for sessions that were imported, or are from before this was kept',
      }),
  })
  .meta({ title: 'ExportedSessionLine' });

export function sessionLine(row: SessionRow, zone: Zone): z.output<typeof exportedSession> {
  return {
    ...watchRecordView(row, zone),
    ip: row.ip,
    online_ms: row.online_ms,
    watch_ms: row.watch_ms,
    entered_at: isoTime(row.entered_at),
    last_seen_at: isoTime(row.last_seen_at),
  };
}

export function sessionWithSpans(
  row: SessionRow,
  zone: Zone,
): z.output<typeof exportedSessionLine> {
  const watched = row.spans === null ? null : readSpans(row.spans).map(spanView);
  return { ...sessionLine(row, zone), watched };
}

export function spanView({ show, from, to, position }: Span) {
  return {
    show: isoTime(show),
    from: isoTime(from),
    to: isoTime(to),
    position_ms: position,
  };
}

export const exportedVisitor = visitorAnswer
  .extend({
    watch_ms: z.int().meta({ description: 'time watched in milliseconds' }),
    first_entered_at: instant('first entry time'),
    last_seen_at: instant('last online time'),
  })
  .meta({ title: 'ExportedVisitor' });

/** A table has a column for each field that anybody answered. */
export const exportedVisitorLine = exportedVisitor
  .extend({ answers: answersAnswer })
  .meta({ title: 'ExportedVisitorLine' });

export function visitorLine(
  row: VisitorRow,
  channel: { id: number; name: string; account_id: number },
  zone: Zone,
): z.output<typeof exportedVisitor> {
  return {
    ...visitorView(row, channel, zone),
    watch_ms: row.watch_ms,
    first_entered_at: isoTime(row.first_entered_at),
    last_seen_at: isoTime(row.last_seen_at),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

export const exportedSessionExample: z.output<typeof exportedSession> = {
  ...watchRecordExample,
  ip: '203.0.113.9',
  online_ms: 3_730_412,
  watch_ms: 3_521_077,
  entered_at: '2026-05-01T11:29:44.318Z',
  last_seen_at: '2026-05-01T12:31:54.730Z',
};

export const exportedSessionLineExample: z.output<typeof exportedSessionLine> = {
  ...exportedSessionExample,
  watched: [
    {
      show: '2026-05-01T11:29:58.204Z',
      from: '2026-05-01T11:30:02.911Z',
      to: '2026-05-01T12:28:43.988Z',
      position_ms: 3_612,
    },
  ],
};

export const exportedVisitorExample: z.output<typeof exportedVisitor> = {
  ...visitorExample,
  watch_ms: 4_803_511,
  first_entered_at: '2026-05-01T11:29:44.318Z',
  last_seen_at: '2026-05-02T00:03:10.204Z',
};

export const exportedVisitorLineExample: z.output<typeof exportedVisitorLine> = {
  ...exportedVisitorExample,
  answers: { company: 'ACME', news: true },
};
