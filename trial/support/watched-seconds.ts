// Whether the records of viewers in Chromium are what their pages played and said, to the second.
import { type CallableService, until } from '../../test/support/live-channel.ts';
import type { ViewerPage } from '../../test/support/viewer-page.ts';

const withinMs = 30_000;
/** A record has whole seconds; and a page's events say that it stands a moment after its picture does. */
const witnessSecondsMax = 1.5;

/** One session and one visitor each, in the order they entered; throws where that is not so. */
export async function judgeSeconds(
  service: CallableService,
  channel_id: number,
  viewers: readonly ViewerPage[],
): Promise<void> {
  const played = viewers.map((viewer) => {
    const { playingSeconds, mediaSeconds, unheardSeconds, lateSeconds } = viewer;
    const heard = Math.min(playingSeconds, mediaSeconds) - unheardSeconds - lateSeconds;
    return {
      // What it says again when it comes back is no report of its own: the clock is the bound.
      most: playingSeconds + 0.3,
      least: Math.floor(heard - witnessSecondsMax),
      ...{ playingSeconds, mediaSeconds, unheardSeconds, lateSeconds },
    };
  });
  const rowsOf = async (name: string): Promise<number[]> => {
    const path = `/v1/activities/${channel_id}/${name}`;
    const order = { filter_watch_time: 0, direction: 'asc', perPage: 100 };
    const { body } = await service.call('POST', path, { body: order });
    return body.map(({ watch_time }: { watch_time: string }) => secondsOf(watch_time));
  };
  let records: number[] = [];
  let visitors: number[] = [];
  const isExact = (watch: number, at: number) => {
    const { most = 0, least = 0 } = played[at] ?? {};
    return watch <= most && watch >= least;
  };
  played.sort((a, b) => a.most - b.most);
  // The next flush writes what is still missing.
  const isTold = async () => {
    records = (await rowsOf('userRecords')).toSorted((a, b) => a - b);
    visitors = (await rowsOf('visitors')).toSorted((a, b) => a - b);
    const isWhole = records.length === viewers.length && String(records) === String(visitors);
    return isWhole && records.every(isExact);
  };
  await until(isTold, { withinMs, otherwise: 'it is not told' }).catch((cause) => {
    const told = JSON.stringify({ played, records, visitors });
    throw new Error(`the records are not what was played: ${told}`, { cause });
  });
}

function secondsOf(text: string): number {
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}
