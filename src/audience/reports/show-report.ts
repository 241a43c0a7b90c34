// A show's report as callers see it.
import * as z from 'zod';
import type { Zone } from '../../base/lib/time.ts';
import { showMinute } from './show-figures.ts';
import type { CountedFigures, FoundShow, ShowLine, ShowTimeline } from './show-report-store.ts';
import type { Person, SheetCount } from './show-sheet.ts';
import { shownSums } from './show-sums.ts';

const count = (description: string) => z.int().meta({ description });

const showFields = {
  id: count('show id'),
  begin: z.string().meta({ description: 'when its first part could be played' }),
  end: z.string().meta({ description: 'when it was live no more; empty while it is on' }),
  videos: z
    .array(z.int())
    .meta({ description: 'ids of the videos that it became, in the order of what they show' }),
};

const figureFields = {
  peak: count('most viewers at once'),
  average: z.number().meta({ description: 'viewers at once on average, to a hundredth' }),
  uv: count('viewers'),
  pv: count('their sessions'),
  watch_seconds: count('all viewers together; what one watched in two tabs at once counts once'),
};

const curveFields = {
  minutes_each: count('how many minutes each of `minutes` is: 1 for a show of up to a day'),
  minutes: z.array(showMinute).meta({ description: 'minute by minute from its beginning' }),
};

const recordsField = {
  records: z.enum(['whole', 'partial', 'frozen']).meta({
    description:
      'whole: every number can be counted again from its sessions. frozen: they were removed as they had been kept for long enough, and the numbers are those of before. partial: it was on for longer than they are kept, and what was removed is not counted',
  }),
};

export const showAnswer = z
  .object({
    ...showFields,
    ...figureFields,
    ...curveFields,
    unplaced: z
      .object({ sessions: count('sessions'), watch_seconds: count('what they watched') })
      .meta({
        description:
          'sessions that entered during the show and do not say when they watched: imported ones, and those from before that was kept. They are in no other number',
      }),
    ...recordsField,
  })
  .meta({ title: 'Show' });

export function showView(show: FoundShow, figures: CountedFigures, zone: Zone) {
  const { unplaced } = figures;
  return {
    ...lineView(show, zone),
    ...shownSums(show, figures),
    minutes_each: figures.minutes_each,
    minutes: figures.minutes,
    unplaced: {
      sessions: unplaced.sessions,
      watch_seconds: Math.floor(unplaced.watch_ms / 1_000),
    },
    records: recordsOf(show),
  };
}

export const shownShow = z
  .object({
    ...showFields,
    figures: z.object(figureFields).nullable().meta({
      description:
        'as they were last counted; null while it is on, and until somebody asks for its report',
    }),
  })
  .meta({ title: 'ShownShow' });

export function shownShowView(show: ShowLine, zone: Zone): z.output<typeof shownShow> {
  const { sums } = show;
  return { ...lineView(show, zone), figures: sums ? shownSums(show, sums) : null };
}

/** What leads from the report's minutes to the pictures of the recordings. */
export const timelineFields = {
  recordings: z
    .array(
      z.object({
        video: count('video id'),
        show_ms: count("where in the show's media it begins, in milliseconds"),
        duration_ms: count('its length, to a second'),
      }),
    )
    .meta({ description: 'the same videos, and where in the show they are' }),
  anchors: z
    .array(
      z.object({
        at_ms: count("milliseconds from the show's beginning on; below 0 where a picture is older"),
        media_ms: count("where in the show's media that is"),
      }),
    )
    .meta({
      description:
        'when the media was on: from each of these on clock and media go on together, until the next one. One for the beginning and one for each cut',
    }),
};

export function timelineView({ begin_at }: FoundShow, { recordings, anchors }: ShowTimeline) {
  return {
    recordings: recordings.map(({ id, show_ms, duration }) => ({
      video: id,
      show_ms,
      duration_ms: duration * 1_000,
    })),
    anchors: anchors.map(({ mediaMs, wallMs }) => ({
      at_ms: wallMs - begin_at,
      media_ms: mediaMs,
    })),
  };
}

const groups = (description: string) =>
  z.array(z.object({ name: z.string(), viewers: count('viewers') })).meta({ description });

const marks = (description: string) => z.array(z.int()).meta({ description });

export const shownPerson = z.object({
  user_id: z.string().meta({
    description:
      'your `uid` of who came by a signed watch link; of others an id that Footlight made, the same each time they come',
  }),
  nick: z
    .string()
    .meta({ description: 'their name, by the watch link; empty where none was given' }),
  place: z.string().meta({ description: 'where they were, as their address tells' }),
  device: z.string().meta({ description: 'what they watched with' }),
  watch_seconds: count('what they watched of the show'),
  came: count('of `minutes`, the one in which they watched for the first time'),
  left: count('and for the last time'),
});

export function personView({ viewer_id, watch_ms, ...person }: Person) {
  return { user_id: viewer_id, ...person, watch_seconds: Math.floor(watch_ms / 1_000) };
}

export const showAudience = z
  .object({
    id: count('show id'),
    ...figureFields,
    ...curveFields,
    ...recordsField,
    places: groups(
      'where they were, the most first; at most 100, as of the others. None of these lists is known of a show whose records are frozen',
    ),
    devices: groups('what they watched with'),
    browsers: groups('and in which browser or app'),
    sources: groups('where they came from'),
    chat: marks(
      'lines of chat in each of `minutes`; with a filter of those whom it leaves, without the host',
    ),
    shares: marks('how often the page was shared in each of them, by the same'),
    people: z.array(shownPerson).meta({ description: 'those who watched longest; at most 100' }),
  })
  .meta({ title: 'ShowAudience' });

/** Lines of chat and shares, by minute of the report. */
export interface ShowMarks {
  chat: number[];
  shares: number[];
}

export function showAudienceView(
  show: FoundShow,
  { figures, groups: found, people }: SheetCount,
  marked: ShowMarks,
): z.output<typeof showAudience> {
  const { place, device, browser, source } = found;
  const { minutes_each, minutes } = figures;
  return {
    id: show.id,
    ...shownSums(show, figures),
    minutes_each,
    minutes,
    records: recordsOf(show),
    places: place,
    devices: device,
    browsers: browser,
    sources: source,
    ...marked,
    people: people.map(personView),
  };
}

type Lasted = Pick<FoundShow, 'begin_at' | 'end_at'>;

function lineView(
  { id, begin_at, end_at, videos }: Lasted & Pick<FoundShow, 'id' | 'videos'>,
  zone: Zone,
) {
  return {
    id,
    begin: zone.dateTime(begin_at),
    end: end_at === null ? '' : zone.dateTime(end_at),
    videos,
  };
}

function recordsOf({ kept, records_from }: FoundShow): 'whole' | 'partial' | 'frozen' {
  if (kept?.isFrozen) return 'frozen';
  return records_from === null ? 'whole' : 'partial';
}
