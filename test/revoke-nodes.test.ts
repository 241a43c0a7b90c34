// Several nodes: a pass that is taken back at one of them ends watching at all.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { playFrom } from '../src/stream/rtmp/rtmp-client.ts';
import { type ClipPush, startClipPush } from './support/clip-push.ts';
import { type LinkedServices, startLinkedServices } from './support/linked-services.ts';
import { newLiveChannel, until } from './support/live-channel.ts';
import { patience } from './support/machine-pace.ts';
import { TestPage, ticketsOf } from './support/page.ts';
import type { TestService } from './support/service.ts';

const withinMs = 40_000;
let nodes: LinkedServices;
let push: ClipPush | undefined;
beforeAll(async () => {
  // No look of a room at the database comes while the test runs: what ends has come over the link.
  nodes = await startLinkedServices(2, { rounds: { lookEveryMs: 2 ** 30 } });
  await nodes.linked();
});
afterAll(async () => {
  await push?.end();
  await nodes.stop();
});

test('page, playlist and RTMP of another node end when a pass is taken back, and no other does', async () => {
  const [a, b] = nodes.all.map(({ service }) => service) as [TestService, TestService];
  const channel = await newLiveChannel(a);
  const path = `/manage/v1/channels/${channel.id}`;
  const sign = await ticketsOf(a);
  push = await startClipPush(channel.publishUrl);
  await a.call('PUT', `${path}/access`, { body: { kind: 'signed' } });
  const { pathname } = new URL(channel.playlistUrl);
  /** Somebody with a link of theirs, who watches at the other node in every way there is. */
  const watching = async (viewer_id: string) => {
    const { body: link } = await a.call('POST', `${path}/play-link`);
    const pass = new URL(link.embed_url).searchParams.get('pass') ?? '';
    const status = async () => {
      const answer = await fetch(`${b.url}/pass/${pass}${pathname}`);
      await answer.arrayBuffer();
      return answer.status;
    };
    await until(async () => (await status()) === 200, { withinMs, otherwise: 'it never plays' });
    const page = new TestPage(b.url, { ticket: sign(channel.id, { viewer_id, pass }) });
    await page.welcome();
    const play = `rtmp://127.0.0.1:${b.rtmpPort}/play/${pathname.split('/')[2]}?pass=${pass}`;
    const played = { packets: 0 };
    const reader = {
      media: () => {
        played.packets += 1;
      },
    };
    const player = await playFrom(play, reader, { timeoutMs: patience(10_000) });
    return { pass_id: link.pass_id as string, page, player, played, status };
  };
  const [ada, bob] = [await watching('ada'), await watching('bob')];
  await a.call('POST', `${path}/access/revoke`, { body: { pass: ada.pass_id } });
  expect((await ada.page.next('refused')).reason).toBe('no_pass');
  await ada.player.closed;
  expect(await ada.status()).toBe(403);
  expect(await bob.status()).toBe(200);
  await bob.page.heard();
  const { packets } = bob.played;
  await until(() => bob.played.packets > packets, { withinMs, otherwise: 'another plays no more' });
  bob.player.close();
  await bob.page.leave();
}, 120_000);
