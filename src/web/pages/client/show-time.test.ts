import { describe, expect, test } from 'bun:test';
import { endIn } from './show-past.ts';
import { ShowTime } from './show-time.ts';

const noon = Date.UTC(2026, 4, 4, 12);
/** A list of ten minutes, read at noon and 610 seconds: the live edge is at noon and 609. */
const listed = { mediaMs: 600_000, dateMs: noon + 600_000 };

function shown(): ShowTime {
  const time = new ShowTime();
  time.lists(listed, 10_000);
  time.showsLive(noon + 609_000, 10_000);
  return time;
}

describe('the time of a show', () => {
  test('is not known before its list is', () => {
    const time = new ShowTime();
    expect(time.lengthAt(0)).toBeUndefined();
    expect(time.secondsAt(noon)).toBeUndefined();
    time.showsLive(noon, 0);
    expect(time.lengthAt(0)).toBeUndefined();
  });

  test('begins where its list does, and goes on with the clock', () => {
    const time = shown();
    expect(time.lengthAt(10_000)).toBe(609);
    expect(time.lengthAt(15_500)).toBe(614.5);
    expect(time.secondsAt(noon + 300_000)).toBe(300);
  });

  test('never goes back: while the encoder is away it runs ahead, and then waits', () => {
    const time = shown();
    expect(time.lengthAt(20_000)).toBe(619);
    // It came back after eight seconds; what it sends now is dated so.
    time.lists({ mediaMs: 606_000, dateMs: noon + 614_000 }, 20_000);
    time.showsLive(noon + 619_000, 20_000);
    expect(time.lengthAt(20_000)).toBe(619);
    expect(time.lengthAt(27_000)).toBe(619);
    expect(time.lengthAt(29_000)).toBe(620);
  });

  test('of a player that tells no dates is that of the list, and the clock', () => {
    const time = new ShowTime();
    time.lists(listed, 10_000);
    expect(time.lengthAt(13_000)).toBe(603);
  });
});

test('where the list ends is read out of what leads to it', () => {
  const end = '#EXT-X-SESSION-DATA:DATA-ID="footlight.show-end",VALUE="6033 1777896000000"\n';
  expect(endIn(`#EXTM3U\n${end}`)).toEqual({ mediaMs: 6_033, dateMs: 1_777_896_000_000 });
  expect(endIn('#EXTM3U\n')).toBeUndefined();
});
