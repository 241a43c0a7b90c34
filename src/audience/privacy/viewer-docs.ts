// What `/openapi.json` says of the export and the erasure of a viewer.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { listTable, viewerTables } from './viewer-data-store.ts';

const exportedLine = z
  .looseObject({
    table: z
      .enum([...Object.keys(viewerTables), listTable])
      .meta({ description: 'where the line stands' }),
    channel_id: z.int().meta({ description: 'channel id' }),
    viewer_id: z.string().meta({ description: 'viewer id' }),
  })
  .meta({ title: 'ViewerLine', description: 'a row of the database, whole; instants are UTC' });

const erasedAnswer = z
  .object({
    viewer_id: z.string().meta({ description: 'viewer id' }),
    channels: z.array(
      z.object({
        channel_id: z.int().meta({ description: 'channel id' }),
        records: z.int().meta({ description: 'watch records and visitors erased' }),
        messages: z.int().meta({ description: 'chat messages erased' }),
        silences: z.int().meta({ description: 'mutes and bans erased' }),
        registrations: z.int().meta({ description: 'registration forms erased' }),
        lists: z.int().meta({ description: 'lists of who may watch that they are off' }),
      }),
    ),
  })
  .meta({ title: 'ErasedViewer' });

export const viewerDocs = {
  exportViewer: docs({
    summary: 'Export everything that is known of one viewer, as NDJSON',
    answer: exportedLine,
    example: {
      table: 'chat_messages',
      channel_id: 1024,
      viewer_id: 'u-58213',
      id: 7,
      nick: 'Li Wei',
      text: 'Hello',
      sent_at: '2026-05-01T11:31:02.120Z',
    },
    errors: ['noChannel'],
  }),
  eraseViewer: docs({
    summary:
      'Erase one viewer: watch records, visitors, chat messages, mutes and bans, registrations, entries of lists',
    note: 'Nothing of it can be brought back. Who has registered, or is on a list of who may watch by this id or by a phone number that a watch link has named, is let in by that no more. A viewer who comes again is a new one; so is one who is there now, whose page is sent away and comes back. A player without a page is counted again once it begins anew.',
    answer: erasedAnswer,
    example: {
      viewer_id: 'u-58213',
      channels: [
        { channel_id: 1024, records: 3, messages: 4, silences: 0, registrations: 1, lists: 0 },
      ],
    },
    errors: ['noChannel'],
  }),
};
