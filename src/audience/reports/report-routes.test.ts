// Reports of a show, as a caller meets them until its records are gone, on both engines.
import { expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { expectError } from '../../../test/support/scenarios.ts';
import { startTestService } from '../../../test/support/service.ts';
import { watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry } from '../../../test/support/store.ts';
import { startLog } from '../../base/lib/log.ts';
import { endLive, startLive } from '../../stream/live/live-store.ts';
import { forgetOld } from '../privacy/retention.ts';
import { creditAudience } from '../records/audience-store.ts';
import { spanText } from '../records/span.ts';
import { noteRemoval } from './show-report-store.ts';
import { ShowSheets } from './show-sheets.ts';

const minute = 60_000;
const day = 86_400_000;
const uid = '-43';
const nick = '=Zoë';

test.each(engines)(
  'name who watched as they are, until the records are gone ($name)',
  async (engine) => {
    const service = await startTestService(engine);
    const { store } = service;
    const sheets = new ShowSheets({ store, monotonicMs: () => performance.now() });
    try {
      const begin = service.clock.now;
      const made = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
      const channel_id: number = made.body.id;
      const show = { channel_id, begin_at: begin, end_at: null, media_ms: 0, anchors: '[]' };
      await store.perform(startLive, { node: 'another', startedAt: begin, show, now: begin });
      const came = { ...entry(uid, begin + minute), nick };
      const [entered] = await enterAnew(store, channel_id, [came]);
      if (!entered) throw new Error('nobody entered');
      const { session_seq, visitor_seq, record_id, numbering } = entered;
      const seen = { viewer_id: uid, last_seen_at: begin, credited_until: begin, watch_ms: minute };
      const spans = spanText([{ show: begin, from: begin, to: begin + minute, position: 0 }]);
      await store.perform(creditAudience, {
        channel_id,
        numbering,
        sessions: [{ seq: session_seq, record_id, online_ms: minute, spans, ...seen }],
        visitors: [{ viewer_id: uid, seq: visitor_seq, ...watchedUntil(begin + minute, minute) }],
        shows: [{ show: begin, entered: [begin + minute] }],
      });
      const reports = `/v1/activities/${channel_id}/report`;
      const report = async () => (await service.call('GET', reports)).body.shows[0];
      const { id } = await report();
      const path = `/manage/v1/channels/${channel_id}/shows/${id}`;
      const audience = async () => (await service.call('GET', `${path}/audience`)).body;
      expect(await audience()).toMatchObject({
        records: 'whole',
        uv: 1,
        people: [{ user_id: uid }],
      });
      const files = async (format: string) => await service.call('GET', `${path}/people.${format}`);
      // A spreadsheet would run it; a program looks for it among its own users.
      expect((await files('csv')).text.split('\r\n')[1]).toStartWith(`'${uid},'${nick},`);
      const lines = await files('ndjson');
      expect(lines.headers.get('content-disposition')).toBe(
        `attachment; filename="show-${id}-people.ndjson"`,
      );
      const watched = { watch_seconds: 60, came: 0, left: 0 };
      expect(
        lines.text
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line)),
      ).toMatchObject([{ user_id: uid, nick, ...watched }]);
      expect((await files('ndjson?left=5')).text).toBe('');
      // It went on for so long that some of its first records were removed.
      await store.perform(noteRemoval, { channel_id, before: begin + 1 });
      expect(await audience()).toMatchObject({ records: 'partial', uv: 1 });
      await store.perform(endLive, { node: 'another', show: { ...show, end_at: begin + minute } });

      const now = () => begin + 10 * day;
      const days = { audienceRetentionDays: 7, ipRetentionDays: 0 };
      await forgetOld({ store, sheets, now, log: startLog('silent'), ...days });
      const whole = { uv: 1, pv: 1, peak: 1, watch_seconds: 60, records: 'frozen' };
      const minutes = [{ viewers: 1, came: 1, left: 1, seen: 1, stayed: 1 }];
      expect(await report()).toMatchObject({ ...whole, minutes });
      const nobody = { places: [], devices: [], browsers: [], sources: [], people: [] };
      expect(await audience()).toMatchObject({ ...whole, minutes, ...nobody });
      const filed = await service.call('GET', `${path}/report.csv`);
      expect([filed.status, filed.text.split('\r\n').length]).toEqual([200, 3]);
      for (const asked of [
        'audience?left=0',
        'report.csv?place=Oslo',
        'people.csv',
        'people.ndjson',
      ])
        expectError(await service.call('GET', `${path}/${asked}`), { status: 409, code: 409031 });
    } finally {
      await sheets.stop();
      await service.stop();
    }
  },
);
