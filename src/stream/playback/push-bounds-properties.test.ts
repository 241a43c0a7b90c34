// What holds of segments, window and memory whatever a publisher does, however it jumps, changes and comes back.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { liveChannel } from '../../../test/fixtures/live-channel.ts';
import { audioTrack, PacketSource, videoTrack } from '../../../test/fixtures/media/synthetic.ts';
import { LiveStream } from '../live/live-stream.ts';
import { pushBounds, pushLimits, pushRates } from '../live/push-limits.ts';
import { PushesMemory } from '../live/push-memory.ts';
import { PushCut, PushMeters } from '../live/push-meter.ts';
import { Segmenter } from '../packaging/segmenter.ts';
import { LiveWindow } from './live-window.ts';

const channel = { ...liveChannel, auto_save_live_video: 0 };
const rates = pushRates(pushBounds);
const bounds = { pushBytes: 1_000_000, accountBytes: 2_000_000, allBytes: 2_000_000 };
/** Of one packet, before the next is refused: what waited for the other track, each with new parameters. */
const segmentsMore = rates.changes.atOnce + 4;

/** Something that a publisher does so many times, its stamps and the wall clock going on in between. */
const deed = fc.record({
  what: fc.constantFrom('key', 'key', 'picture', 'sound', 'new video', 'new audio', 'return'),
  times: fc.constantFrom(1, 1, 3, 20, 400),
  stampMs: fc.constantFrom(0, 1, 33, 250, 700, 2_600, 4_900, 60_000, -300, -60_000),
  wallMs: fc.constantFrom(0, 0, 1, 33, 1_000),
  size: fc.constantFrom(8, 8, 8, 2_000, 100_000),
});
interface Deed {
  what: 'key' | 'picture' | 'sound' | 'new video' | 'new audio' | 'return';
  stampMs: number;
  wallMs: number;
  size: number;
}

test('no push makes more segments than its allowance, nor holds more than its bound', () => {
  fc.assert(
    fc.property(fc.array(deed, { minLength: 1, maxLength: 25 }), (deeds) => {
      const push = new BentPush();
      for (const one of deeds) {
        for (let n = 0; n < one.times; n++) push.do(one);
        push.check();
      }
      push.end();
    }),
    { numRuns: 60 },
  );
});

/** What happens so many times, at the pace of the wall clock. */
interface HonestStretch {
  what: Deed['what'];
  times: number;
  everyMs: number;
}

test.each<[string, HonestStretch[]]>([
  [
    'slides, two a second and silent, after a beginning at 30 pictures a second',
    [
      { what: 'key', times: 1, everyMs: 33 },
      { what: 'picture', times: 300, everyMs: 33 },
      { what: 'picture', times: 1_200, everyMs: 500 },
    ],
  ],
  ['key frames alone, 60 a second', [{ what: 'key', times: 12_000, everyMs: 17 }]],
  ['sound alone', [{ what: 'sound', times: 26_000, everyMs: 23 }]],
  [
    'a phone that finds its resolution, and then changes it every five seconds',
    [
      { what: 'new video', times: 8, everyMs: 1_000 },
      { what: 'new video', times: 120, everyMs: 5_000 },
    ],
  ],
  ['a line that breaks every ten seconds', [{ what: 'return', times: 60, everyMs: 10_000 }]],
])('%s is not cut', (_, stretches) => {
  const push = new BentPush();
  for (const { what, times, everyMs } of stretches) {
    for (let n = 0; n < times; n++) {
      push.do({ what, stampMs: everyMs, wallMs: everyMs, size: 8 });
      // A key frame behind every return.
      if (what === 'return') push.do({ what: 'key', stampMs: 0, wallMs: 0, size: 8 });
    }
  }
  expect(push.cuts).toBe(0);
  push.end();
});

class BentPush {
  private readonly clock = { ms: 0 };
  private readonly memory = new PushesMemory(bounds);
  private readonly stream: LiveStream;
  private readonly window: LiveWindow;
  private readonly source = new PacketSource();
  private stamp = 0;
  private changes = 0;
  private segments = 0;
  private isCut = false;
  private isOver = false;
  cuts = 0;

  constructor() {
    const monotonicMs = () => this.clock.ms;
    const meters = new PushMeters({ rates, memory: this.memory, monotonicMs });
    const meter = meters.open(channel);
    this.stream = new LiveStream(channel, 0, { meter });
    this.window = new LiveWindow({
      partTargetMs: () => segmenter.partTargetMs,
      onEnded: () => {},
      memory: meter.memory,
    });
    const count = {
      partAdded: () => {},
      segmentEnded: () => {
        this.segments += 1;
      },
      ended: () => {},
    };
    const readers = [this.window, count];
    const segmenter = new Segmenter({ readers, meter, firstSequence: 1, now: monotonicMs });
    this.stream.join(segmenter);
    meter.onGivenUp = () => this.finish();
    this.tracks();
  }

  do({ what, stampMs, wallMs, size }: Deed): void {
    if (this.isOver) return;
    this.clock.ms += wallMs;
    this.stamp = (this.stamp + stampMs) >>> 0;
    try {
      if (this.isCut || what === 'return') this.comeBack();
      this.send(what, size);
    } catch (error) {
      if (!(error instanceof PushCut)) throw error;
      this.isCut = true;
      this.cuts += 1;
    }
  }

  check(): void {
    const { atOnce, everyMs } = rates.segments;
    expect(this.segments).toBeLessThanOrEqual(atOnce + this.clock.ms / everyMs + segmentsMore);
    const { bytes } = this.memory;
    // A push that is cut ends with parts of what waited: a buffer that doubled, and the segment made of it.
    expect(bytes).toBeLessThanOrEqual(4 * bounds.pushBytes);
    expect(bytes).toBeGreaterThanOrEqual(0);
    const text = this.window.playlist().text;
    expect(text.split('#EXTINF').length - 1).toBeLessThanOrEqual(pushLimits.windowSegments);
    expect(text.length).toBeLessThan(20_000);
  }

  end(): void {
    this.finish();
    this.check();
    this.window.close();
    expect(this.memory.bytes).toBe(0);
    expect(this.memory.pushCount).toBe(0);
  }

  private finish(): void {
    if (!this.isOver) this.stream.end('over');
    this.isOver = true;
  }

  /** As the hub does. */
  private comeBack(): void {
    this.stream.meter.goOn();
    this.isCut = false;
    this.stream.resume();
    this.tracks();
  }

  private tracks(): void {
    this.stream.track(videoTrack);
    this.stream.track(audioTrack);
  }

  private send(what: Deed['what'], size: number): void {
    const { stamp: timestamp } = this;
    const publication = this.stream.publication({ isHeld: () => true, onMedia() {}, onEnd() {} });
    publication.arrived(size);
    const bytes = Buffer.concat([this.source.picture(0).bytes, new Uint8Array(size - 8)]);
    const record = Uint8Array.of(++this.changes >> 8, this.changes);
    if (what === 'new video') publication.track({ ...videoTrack, record });
    if (what === 'new audio') publication.track({ ...audioTrack, record });
    if (what === 'sound') publication.sound({ timestamp, bytes });
    const isKey = what === 'key' || what === 'new video';
    if (isKey || what === 'picture')
      publication.picture({ timestamp, compositionMs: 0, isKey, bytes });
  }
}
