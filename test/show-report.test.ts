// The report of a scripted show: fifty pages with known behaviour, second by second, on both engines.
import { expect, test } from 'bun:test';
import { startClipPush, testClip } from './support/clip-push.ts';
import { engines } from './support/engines.ts';
import { isLive, newLiveChannel, until } from './support/live-channel.ts';
import { seeded } from './support/random.ts';
import { judgedShow, type ShowSession, sessionsIn } from './support/show-judge.ts';
import { type Entered, type Stage, startStage } from './support/stage.ts';

const stepMs = 5_000;
/** Four minutes and a half. */
const steps = 54;
const pageCount = 50;
/** Some have two pages open. */
const viewerCount = 44;
const flushedMs = 20_000;

/** One page: from which step to which it is there, and in which steps it plays. */
interface Script {
  viewer_id: string;
  enters: number;
  leaves: number;
  plays: ReadonlySet<number>;
}

test.each(engines)(
  'is what its script says, and what its sessions come to ($name)',
  async (engine) => {
    const stage = await startStage(engine);
    const begin = stage.service.clock.now;
    try {
      const scripts = scriptsOf(20_261_118);
      await play(stage, scripts);
      await stage.push.end();
      const end = stage.service.clock.now;
      const expected = judgedShow(
        begin,
        scripts.map((script) => watchedBy(script, begin)),
      );
      const figures = ({ seen: _, ...minute }: Minute) => minute;
      let report = await reportOf(stage);
      const isTold = async () => {
        report = await reportOf(stage);
        return report?.end !== '' && report?.watch_seconds === expected.watch_ms / 1_000;
      };
      await until(isTold, { withinMs: flushedMs, otherwise: 'the report is not told' }).catch(
        () => {},
      );
      const told: object = { ...report, minutes: report?.minutes.map(figures) };
      expect(told).toEqual({
        id: expect.any(Number),
        begin: '2026-05-04 12:00:00',
        end: '2026-05-04 12:04:30',
        // Its media is what was pushed while the clock was moved: none for a video, or some with gaps.
        videos: expect.any(Array),
        recordings: expect.any(Array),
        anchors: expect.any(Array),
        peak: expected.peak,
        average: Math.round((expected.watch_ms / (end - begin)) * 100) / 100,
        uv: expected.uv,
        pv: expected.pv,
        watch_seconds: expected.watch_ms / 1_000,
        minutes_each: 1,
        minutes: expected.minutes.map(figures),
        unplaced: { sessions: 0, watch_seconds: 0 },
        records: 'whole',
      });
      const filed = await linesOf(stage, `shows/${report?.id}/report.csv`);
      expect(filed).toEqual(
        (report?.minutes ?? []).map((one, minute) =>
          [
            ...[minute, `2026-05-04 12:0${minute}:00`],
            ...[one.viewers, one.came, one.left, one.seen, one.stayed, 0, 0],
          ].map(String),
        ),
      );
      const named = await linesOf(stage, `shows/${report?.id}/people.csv`);
      expect(named.length).toBe(expected.uv);
      expect(named.reduce((sum, [, , , , seconds]) => sum + Number(seconds), 0)).toBe(
        expected.watch_ms / 1_000,
      );
      const left = await linesOf(stage, `shows/${report?.id}/people.csv?left=1`);
      expect(left.length).toBe(report?.minutes[1]?.left ?? -1);
      expect(left.every(([, , , , , , minute]) => minute === '1')).toBeTrue();
      const recounted = judgedShow(begin, await exportedSessions(stage));
      expect(report?.minutes).toEqual(recounted.minutes);
      expect(recounted).toMatchObject({
        uv: expected.uv,
        pv: expected.pv,
        peak: expected.peak,
        watch_ms: expected.watch_ms,
      });
      const erased = { viewer_id: scripts[1]?.viewer_id };
      await stage.service.call('POST', '/manage/v1/viewers/erase', { body: erased });
      const anew = judgedShow(begin, await exportedSessions(stage));
      expect(anew.uv).toBe(expected.uv - 1);
      expect(await reportOf(stage)).toMatchObject({
        uv: anew.uv,
        pv: anew.pv,
        peak: anew.peak,
        watch_seconds: anew.watch_ms / 1_000,
        minutes: anew.minutes,
      });
    } finally {
      await stage.end();
    }
  },
);

test.each(engines)('has who waited for the show, however long ($name)', async (engine) => {
  const stage = await startStage(engine);
  const channel = await newLiveChannel(stage.service);
  const waiting = stage.at(channel.id);
  try {
    const early = await waiting.enter('early');
    for (let n = 0; n < 6; n++) {
      stage.pass(20_000);
      await early.report(0);
    }
    const push = await startClipPush(channel.publishUrl, testClip());
    await until(() => isLive(stage.service, channel.id), {
      withinMs: flushedMs,
      otherwise: 'it is not live',
    });
    stage.pass(stepMs);
    await early.report(stepMs);
    await push.end();
    let report = await reportOf(waiting);
    const isTold = async () => {
      report = await reportOf(waiting);
      return report?.watch_seconds === stepMs / 1_000;
    };
    await until(isTold, { withinMs: flushedMs, otherwise: 'it is not told' }).catch(() => {});
    expect(report).toMatchObject({ uv: 1, pv: 1, watch_seconds: 5, peak: 1 });
    const asked = `/v1/activities/${channel.id}/report`;
    const same = await stage.service.call('GET', `${asked}?show=${report?.id}`);
    expect(same.body.shows[0]).toEqual(report);
    const unknown = await stage.service.call('GET', `${asked}?show=${(report?.id ?? 0) + 1_000}`);
    expect([unknown.status, unknown.body.errors.code]).toEqual([404, 404004]);
    const { body: other } = await stage.service.call('POST', '/v1/activities', {
      body: { name: 'other' },
    });
    const foreign = await stage.service.call(
      'GET',
      `/v1/activities/${other.id}/report?show=${report?.id}`,
    );
    expect([foreign.status, foreign.body.errors.code]).toEqual([404, 404004]);
    const audience = await stage.service.call(
      'GET',
      `/manage/v1/channels/${channel.id}/shows/${report?.id}/audience`,
    );
    expect(audience.body).toMatchObject({
      uv: 1,
      people: [{ user_id: 'early', watch_seconds: 5 }],
    });
    const { body: listed } = await stage.service.call(
      'GET',
      `/manage/v1/channels/${channel.id}/shows`,
    );
    expect(listed).toMatchObject({
      shows: [{ id: report?.id, figures: { uv: 1, watch_seconds: 5 } }],
      meta: { total: 1 },
    });
  } finally {
    await stage.end();
  }
});

function scriptsOf(seed: number): Script[] {
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random.next() * n);
  return Array.from({ length: pageCount }, (_, n) => {
    const enters = below(steps - 6);
    const leaves = enters + 2 + below(steps - enters - 2);
    const plays = new Set<number>();
    // Who only looks, who watches all of it, and who comes and goes.
    const how = n % 5;
    for (let step = enters; step < leaves; step++)
      if (how === 1 || (how > 1 && below(4) > 0)) plays.add(step);
    return { viewer_id: `v${n % viewerCount}`, enters, leaves, plays };
  });
}

/** The clock stands still within a step, so it does not matter who is first. */
async function play(stage: Stage, scripts: readonly Script[]): Promise<void> {
  const there = new Map<Script, Entered>();
  for (let step = 0; step < steps; step++) {
    for (const script of scripts)
      if (script.enters === step) there.set(script, await stage.enter(script.viewer_id));
    stage.pass(stepMs);
    await Promise.all(
      Array.from(there, ([{ plays }, { report }]) => report(plays.has(step) ? stepMs : 0)),
    );
    for (const [script, { page }] of there) {
      if (script.leaves !== step + 1) continue;
      await page.leave();
      there.delete(script);
    }
  }
  for (const { page } of there.values()) await page.leave();
}

function watchedBy({ viewer_id, plays }: Script, begin: number): ShowSession {
  const spans = Array.from(plays, (step) => {
    const from = begin + step * stepMs;
    return { show: begin, from, to: from + stepMs, position: 0 };
  });
  return { viewer_id, spans };
}

interface Minute {
  viewers: number;
  came: number;
  left: number;
  seen: number;
  stayed: number;
}

interface Report {
  id: number;
  end: string;
  watch_seconds: number;
  minutes: Minute[];
}

async function reportOf({ service, channel_id }: Stage): Promise<Report | undefined> {
  const { body } = await service.call('GET', `/v1/activities/${channel_id}/report`);
  expect(body.id).toBe(channel_id);
  return body.shows[0];
}

/** Of a CSV, without its head. */
async function linesOf({ service, channel_id }: Stage, file: string): Promise<string[][]> {
  const { text } = await service.call('GET', `/manage/v1/channels/${channel_id}/${file}`);
  return text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(','));
}

async function exportedSessions({ service, channel_id }: Stage): Promise<ShowSession[]> {
  const path = `/manage/v1/channels/${channel_id}/sessions.ndjson`;
  const { text } = await service.call('GET', path);
  return sessionsIn(text);
}
