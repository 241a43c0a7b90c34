// One viewer's visits as a caller meets them, on both engines.
import { describe, expect, test } from 'bun:test';
import { engines } from '../../../test/support/engines.ts';
import { startTestService, type TestService } from '../../../test/support/service.ts';
import { watchedUntil } from '../../../test/support/some-show.ts';
import { enterAnew, entry } from '../../../test/support/store.ts';
import { endLive, startLive } from '../../stream/live/live-store.ts';
import { addMessage, silence } from '../chat/chat-store.ts';
import { countShare, creditAudience } from '../records/audience-store.ts';
import { spanText } from '../records/span.ts';

const minute = 60_000;
const strange = 'u/5 8%';

for (const engine of engines)
  describe(engine.name, () => {
    test('has every visit with what was watched when, what was said, and nothing of others', async () => {
      const service = await startTestService(engine);
      try {
        const channel_id = await makeShow(service);
        const path = `/manage/v1/channels/${channel_id}/viewers`;
        const { status, body } = await service.call(
          'GET',
          `${path}/${encodeURIComponent(strange)}`,
        );
        const at = service.clock.now;
        const show = body.shows?.[0]?.id;
        expect({ status, body }).toMatchObject({
          status: 200,
          body: {
            viewer: { visitor_id: strange, visit_times: 2, comment_count: 1, share_times: 1 },
            shows: [
              { id: expect.any(Number), begin: '2026-05-04 12:00:00', end: '2026-05-04 12:05:00' },
            ],
            sessions: [
              { watched: [], entered: '2026-05-04 12:02:00' },
              {
                watch_time: '00:02:00',
                watched: [
                  { show, from_ms: 0, to_ms: minute },
                  { show, from_ms: 2 * minute, to_ms: 3 * minute },
                ],
              },
            ],
            chat: [{ text: 'hello', sent_at: '2026-05-04 12:00:00' }],
            shares: ['2026-05-04 12:00:00'],
            silences: [{ kind: 'mute', until: '2026-05-04 12:10:00' }],
          },
        });
        expect(body.sessions.length).toBe(2);
        service.clock.now = at + 20 * minute;
        const later = await service.call('GET', `${path}/${encodeURIComponent(strange)}`);
        expect(later.body.silences).toEqual([]);
        const nobody = await service.call('GET', `${path}/nobody`);
        expect([nobody.status, nobody.body.errors.code]).toEqual([404, 404007]);
        const elsewhere = await service.call('POST', '/v1/activities', { body: { name: 'other' } });
        const foreign = `/manage/v1/channels/${elsewhere.body.id}/viewers/other`;
        expect((await service.call('GET', foreign)).status).toBe(404);
      } finally {
        await service.stop();
      }
    });
  });

/** Of five minutes; the viewer is there twice, and the second time only looks. */
async function makeShow(service: TestService): Promise<number> {
  const { store, clock } = service;
  const begin = clock.now;
  const { body } = await service.call('POST', '/v1/activities', { body: { name: 'show' } });
  const channel_id: number = body.id;
  const show = { channel_id, begin_at: begin, end_at: null, media_ms: 0, anchors: '[]' };
  const node = 'another';
  await store.perform(startLive, { node, startedAt: begin, show, now: begin });
  const [first] = await enterAnew(store, channel_id, [
    entry(strange, begin),
    entry('other', begin + 1),
    entry(strange, begin + 2 * minute),
  ]);
  if (!first) throw new Error('nobody entered');
  const seen = { viewer_id: strange, last_seen_at: begin + minute, credited_until: begin + minute };
  const spans = [
    { show: begin, from: begin, to: begin + minute, position: 0 },
    { show: begin, from: begin + 2 * minute, to: begin + 3 * minute, position: 2 * minute },
  ];
  const { session_seq, visitor_seq, record_id, numbering } = first;
  const watch_ms = 2 * minute;
  await store.perform(creditAudience, {
    channel_id,
    numbering,
    sessions: [
      {
        seq: session_seq,
        record_id,
        watch_ms,
        online_ms: watch_ms,
        spans: spanText(spans),
        ...seen,
      },
    ],
    visitors: [
      { viewer_id: strange, seq: visitor_seq, ...watchedUntil(seen.last_seen_at, watch_ms) },
    ],
    shows: [{ show: begin, entered: [begin] }],
  });
  await store.perform(endLive, { node, show: { ...show, end_at: begin + 5 * minute } });
  const line = { channel_id, viewer_id: strange, nick: '', text: 'hello', at: begin };
  await store.perform(addMessage, line);
  await store.perform(countShare, { channel_id, viewer_id: strange, at: begin });
  const until = begin + 10 * minute;
  const mute = { account_id: 1, channel_id, viewer_id: strange, kind: 'mute', now: begin } as const;
  await store.perform(silence, { ...mute, until });
  return channel_id;
}
