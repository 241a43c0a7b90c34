// Cutting a clip over HTTP.
import { type CallOf, post } from '../../base/api/endpoint.ts';
import { ApiError, invalidField } from '../../base/api/errors.ts';
import { idMax, integer, text } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import type { ClipOf } from './clip.ts';
import { clipDocs } from './clip-docs.ts';
import { clipLimits } from './clip-limits.ts';
import type { Clips } from './clips.ts';

interface Parts {
  store: Store;
  clips: Clips;
}

export function clipRoutes(parts: Parts): AnyRoute[] {
  return routes({ table: clipTable, docs: clipDocs, handlers: { makeClip }, parts });
}

const { lastSecondsMin, lastSecondsMax, stretchMsMax } = clipLimits;
const position = (description: string) => integer(description, { min: 0, max: idMax });

const clipTable = {
  makeClip: post('/manage/v1/channels/{channel_id}/clips', 'videos:write', {
    told: ['name'],
    ...channelById,
    body: {
      last_seconds: integer('so much of the show that is on, up to now', {
        min: lastSecondsMin,
        max: lastSecondsMax,
        examples: [60],
      }),
      show: integer('id of a show of the channel', { min: 1, max: idMax }),
      video_id: integer('id of a video of the channel', { min: 1, max: idMax }),
      from_ms: position('where it begins, in the media of the show or the video'),
      to_ms: position(`where it ends, at most ${stretchMsMax} after it begins`),
      name: text('name of the new video; else by the channel and when it was', {
        max: 255,
        trim: true,
      }),
    },
  }),
};

type Handle = Handlers<typeof clipTable, typeof clipDocs, Parts>;

const makeClip: Handle['makeClip'] = async (call, { store, clips }) => {
  const of = clipOf(call.body);
  const channel = await callersChannel(store, call.params.channel_id, call.caller);
  const name = call.body.name || undefined;
  const { video_id, fromMs, toMs } = await clips.make({ channel, of, name });
  return { body: { id: video_id, from_ms: fromMs, to_ms: toMs } };
};

/** One of three, and of the last two the stretch. */
function clipOf(body: CallOf<typeof clipTable.makeClip>['body']): ClipOf {
  const { last_seconds, show, video_id, from_ms, to_ms } = body;
  const named = [last_seconds, show, video_id].filter((one) => one !== undefined);
  if (named.length !== 1)
    throw invalidField(
      'last_seconds',
      'last_seconds must be given, or show, or video_id, and only one of them',
    );
  if (last_seconds !== undefined) return { lastMs: 1_000 * last_seconds };
  const missing = Object.entries({ from_ms, to_ms }).filter(([, value]) => value === undefined);
  if (from_ms === undefined || to_ms === undefined)
    throw new ApiError('missing', {
      fields: missing.map(([name]) => ({ name, message: `${name} must be given` })),
    });
  if (to_ms <= from_ms || to_ms - from_ms > stretchMsMax)
    throw invalidField(
      'to_ms',
      `to_ms must be more than from_ms, by at most ${stretchMsMax} (got ${to_ms} after ${from_ms})`,
    );
  const stretch = { fromMs: from_ms, toMs: to_ms };
  return show === undefined ? { video_id: video_id ?? 0, ...stretch } : { show, ...stretch };
}
