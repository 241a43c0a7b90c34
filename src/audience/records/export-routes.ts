// Exports of a channel's whole audience, beside the interface: no pages, no daily limit.
import { get } from '../../base/api/endpoint.ts';
import { invalidField } from '../../base/api/errors.ts';
import { periodEnd } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type ExportFormat, openExport } from './audience-export.ts';
import { exportDocs } from './export-docs.ts';

interface Parts {
  store: Store;
  zone: Zone;
}

export function exportRoutes(parts: Parts): AnyRoute[] {
  return routes({
    table: exportTable(parts.zone),
    docs: exportDocs,
    handlers: {
      exportSessionsCsv: exportSessions('csv'),
      exportVisitorsCsv: exportVisitors('csv'),
      exportSessionsNdjson: exportSessions('ndjson'),
      exportVisitorsNdjson: exportVisitors('ndjson'),
    },
    parts,
  });
}

function exportTable(zone: Zone) {
  const csv = { ...channelById, streamed: 'text/csv' } as const;
  const ndjson = { ...channelById, streamed: 'application/x-ndjson' } as const;
  const period = {
    start_time: periodEnd('start of the period', zone, 'start'),
    end_time: periodEnd('end of the period', zone, 'end'),
  };
  return {
    exportSessionsCsv: get('/manage/v1/channels/{channel_id}/sessions.csv', 'manage', {
      ...csv,
      query: period,
    }),
    exportVisitorsCsv: get('/manage/v1/channels/{channel_id}/visitors.csv', 'manage', csv),
    exportSessionsNdjson: get('/manage/v1/channels/{channel_id}/sessions.ndjson', 'manage', {
      ...ndjson,
      query: period,
    }),
    exportVisitorsNdjson: get('/manage/v1/channels/{channel_id}/visitors.ndjson', 'manage', ndjson),
  };
}

type Handle = Handlers<ReturnType<typeof exportTable>, typeof exportDocs, Parts>;

function exportSessions(
  format: ExportFormat,
): Handle['exportSessionsCsv' | 'exportSessionsNdjson'] {
  return async ({ params, query: { start_time, end_time }, caller }, parts) => {
    if (start_time != null && end_time != null && start_time > end_time)
      throw invalidField('start_time', 'start_time must not be after end_time');
    const channel = await callersChannel(parts.store, params.channel_id, caller);
    const body = await openExport(parts, {
      channel,
      format,
      kind: 'session',
      enteredFrom: start_time ?? undefined,
      // A time of entering is cut to its second, so the end's whole second belongs to the period.
      enteredBefore: end_time == null ? undefined : end_time + 1_000,
    });
    return { body, headers: asFile(`channel-${channel.id}-sessions.${format}`) };
  };
}

function exportVisitors(
  format: ExportFormat,
): Handle['exportVisitorsCsv' | 'exportVisitorsNdjson'] {
  return async ({ params, caller }, parts) => {
    const channel = await callersChannel(parts.store, params.channel_id, caller);
    const body = await openExport(parts, { channel, format, kind: 'visitor' });
    return { body, headers: asFile(`channel-${channel.id}-visitors.${format}`) };
  };
}

function asFile(name: string): Record<string, string> {
  return { 'Content-Disposition': `attachment; filename="${name}"` };
}
