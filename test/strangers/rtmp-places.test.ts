// Places of those who publish, by account, and of those who play, by network.
import { afterAll, beforeAll, expect, test } from 'bun:test';
import { playFrom, publishTo } from '../../src/stream/rtmp/rtmp-client.ts';
import { newLiveChannel, untilLetIn } from '../support/live-channel.ts';
import { patience } from '../support/machine-pace.ts';
import { type RtmpStage, startRtmpStage } from '../support/rtmp-stage.ts';

const noPublisher = 'As many channels are published to as may be';
const noPlayer = 'Too many players are on this network';

let stage: RtmpStage;
beforeAll(async () => {
  stage = await startRtmpStage({ RTMP_PUBLISHERS: '4', RTMP_PLAYERS: '4' });
});
afterAll(() => stage.end());

test('an account has half of the pushes that the others leave, and one that comes back has its own', async () => {
  const { service, target } = stage;
  const channels = [await newLiveChannel(service), await newLiveChannel(service)];
  const [second = '', third = ''] = channels.map(({ publishUrl }) => publishUrl);
  // The show has the account's first place.
  const publisher = await publishTo(second);
  await expect(publishTo(third)).rejects.toThrow(noPublisher);
  const rudePush = await publishTo(rudeUrl(0));
  await expect(publishTo(rudeUrl(1))).rejects.toThrow(noPublisher);
  expect(await stage.refusals('publishers')).toBe(2);
  publisher.cut();
  await publisher.closed;
  const { push: again } = await untilLetIn(() => publishTo(second), { withinMs: 5_000 });
  await Promise.all([again.end(), rudePush.end()]);
  // What has ended makes room.
  await (await untilThereIsRoom(() => publishTo(third), noPublisher)).end();

  function rudeUrl(at: number): string {
    return `rtmp://127.0.0.1:${service.rtmpPort}/live/${target.channels[at]?.stream_key}`;
  }
});

test('a network has half of the players that the others leave', async () => {
  const url = `rtmp://127.0.0.1:${stage.service.rtmpPort}/play/${stage.target.show.play_id}`;
  const play = () => playFrom(url, { media() {} });
  const players = [await play(), await play()];
  await expect(play()).rejects.toThrow(noPlayer);
  expect(await stage.refusals('network')).toBe(1);
  players.pop()?.close();
  players.push(await untilThereIsRoom(play, noPlayer));
  for (const player of players) player.close();
});

/** The service hears a moment later that somebody has gone: until then it has this to say. */
async function untilThereIsRoom<T>(enter: () => Promise<T>, refusal: string): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    try {
      return await enter();
    } catch (error) {
      const isOver = performance.now() - startedAt > patience(goneWithinMs);
      if (!(error as Error).message.startsWith(refusal) || isOver) throw error;
      await Bun.sleep(20);
    }
  }
}

const goneWithinMs = 5_000;
