// Exports of a channel's whole audience, beside the interface: no pages, no daily limit.
import { invalidField } from '../../base/api/errors.ts';
import { periodEnd } from '../../base/api/fields.ts';
import { type AnyRoute, streamedRoute } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelParams } from '../../library/channels/channel-routes.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type ExportFormat, openExport } from './audience-export.ts';
import {
  exportedSession,
  exportedSessionExample,
  exportedVisitor,
  exportedVisitorExample,
} from './exported-row.ts';

const formats = ['csv', 'ndjson'] as const satisfies ExportFormat[];

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
const titles = { csv: 'Csv', ndjson: 'Ndjson' } as const;

/** What a reader must know of each form. */
const notes = {
  csv: 'UTF-8 with a byte order mark, lines as RFC 4180 has them. A text that a spreadsheet would take for a formula begins with an apostrophe; NDJSON has every text as it is.',
  ndjson: 'One JSON object a line.',
} as const;
const sessionNotes = {
  csv: notes.csv,
  ndjson: `${notes.ndjson} \`npx footlight import sessions\` reads it.`,
} as const;

const answerHeaders = { 'Content-Disposition': 'the name of the file' };

export function exportRoutes(given: { store: Store; zone: Zone }): AnyRoute[] {
  const { store, zone } = given;
  return formats.flatMap((format) => [
    streamedRoute({
      operationId: `exportSessions${titles[format]}`,
      method: 'GET',
      path: `/manage/v1/channels/{channel_id}/sessions.${format}`,
      summary: `Export the watch records of a channel as ${format.toUpperCase()}, oldest entry first`,
      note: sessionNotes[format],
      section: 'own',
      scope: 'manage',
      params: channelParams,
      query: {
        start_time: periodEnd('start of the period', zone, 'start'),
        end_time: periodEnd('end of the period', zone, 'end'),
      },
      streamed: types[format],
      answer: exportedSession,
      example: exportedSessionExample,
      absent: 'noChannel',
      answerHeaders,
      handle: async (call) => {
        const { start_time, end_time } = call.query;
        if (start_time != null && end_time != null && start_time > end_time)
          throw invalidField('start_time', 'start_time must not be after end_time');
        const channel = await callersChannel(store, call.params.channel_id, call.caller);
        const body = await openExport(given, {
          channel,
          format,
          kind: 'session',
          enteredFrom: start_time ?? undefined,
          // A time of entering is cut to its second, so the end's whole second belongs to the period.
          enteredBefore: end_time == null ? undefined : end_time + 1_000,
        });
        return { body, headers: asFile(`channel-${channel.id}-sessions.${format}`) };
      },
    }),
    streamedRoute({
      operationId: `exportVisitors${titles[format]}`,
      method: 'GET',
      path: `/manage/v1/channels/{channel_id}/visitors.${format}`,
      summary: `Export the visitors of a channel as ${format.toUpperCase()}, by first entry`,
      note: notes[format],
      section: 'own',
      scope: 'manage',
      params: channelParams,
      query: {},
      streamed: types[format],
      answer: exportedVisitor,
      example: exportedVisitorExample,
      absent: 'noChannel',
      answerHeaders,
      handle: async (call) => {
        const channel = await callersChannel(store, call.params.channel_id, call.caller);
        const body = await openExport(given, { channel, format, kind: 'visitor' });
        return { body, headers: asFile(`channel-${channel.id}-visitors.${format}`) };
      },
    }),
  ]);
}

function asFile(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}
