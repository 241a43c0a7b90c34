// Exports of a channel's whole audience, beside the interface: no pages, no daily limit.
import { get } from '../../base/api/endpoint.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type ExportFormat, openExport } from './audience-export.ts';
import { exportDocs } from './export-docs.ts';
import { enteredWithin, periodFields } from './session.ts';

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
  const csv = { ...channelById, streamed: 'text/csv', audit: 'taken' } as const;
  const ndjson = { ...channelById, streamed: 'application/x-ndjson', audit: 'taken' } as const;
  const period = periodFields(zone);
  return {
    exportSessionsCsv: get('/manage/v1/channels/{channel_id}/sessions.csv', 'audience:read', {
      ...csv,
      query: period,
    }),
    exportVisitorsCsv: get('/manage/v1/channels/{channel_id}/visitors.csv', 'audience:read', csv),
    exportSessionsNdjson: get('/manage/v1/channels/{channel_id}/sessions.ndjson', 'audience:read', {
      ...ndjson,
      query: period,
    }),
    exportVisitorsNdjson: get(
      '/manage/v1/channels/{channel_id}/visitors.ndjson',
      'audience:read',
      ndjson,
    ),
  };
}

type Handle = Handlers<ReturnType<typeof exportTable>, typeof exportDocs, Parts>;

function exportSessions(
  format: ExportFormat,
): Handle['exportSessionsCsv' | 'exportSessionsNdjson'] {
  return async ({ params, query, caller }, parts) => {
    const entered = enteredWithin(query);
    const channel = await callersChannel(parts.store, params.channel_id, caller);
    const body = await openExport(parts, { channel, format, kind: 'session', ...entered });
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
