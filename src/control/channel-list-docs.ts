// What `/openapi.json` says of the control room's list of channels.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../base/api/paging.ts';
import { docs } from '../base/api/route.ts';
import { listedFields } from '../library/channels/channel.ts';
import { channelStates } from '../library/channels/channel-state.ts';

const count = (description: string) => z.int().meta({ description });

const itemAnswer = z
  .object({
    id: count('channel id'),
    name: z.string().meta({ description: 'channel name' }),
    live_status: z.int().min(0).max(1).meta({ description: '0 = not live, 1 = live' }),
    state: z.enum(channelStates).meta({
      description:
        '`new`: it was never on air and has no start time; one with a start ahead is `upcoming`, whatever was before',
    }),
    viewers: z.int().nullable().meta({
      description: 'viewers now; null where only another service knows, and does not say',
    }),
    start_time: z.string().meta({ description: 'live start time; empty where it is not set' }),
    ...listedFields,
    cover_image: z
      .string()
      .meta({ description: 'channel icon address; empty where it is not set' }),
    has_picture: z.boolean().meta({ description: 'whether `picture.jpg` can be asked for now' }),
  })
  .meta({ title: 'ChannelState' });

export const channelListDocs = {
  listChannelStates: docs({
    summary: 'List channels by what they are about now, with how many there are of each',
    note: 'The newest first; of `upcoming` the soonest start, of `past` the latest push. Where `q` is given, the newest first in any case.',
    answer: z
      .object({
        channels: z.array(itemAnswer),
        counts: z.object({
          all: count('channels that the token sees'),
          on_air: count('on air now'),
          upcoming: count('not on air, with a start ahead'),
          past: count('not on air, without a start ahead, but with one behind or a push'),
        }),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'ChannelStates' }),
    example: {
      channels: [
        {
          id: 112,
          name: 'Spring launch',
          live_status: 1,
          state: 'on_air',
          viewers: 184,
          start_time: '2026-05-01 19:30:00',
          manager: 0,
          manager_username: '',
          last_push_stream_at: '2026-05-01 19:29:57',
          cover_image: '',
          has_picture: true,
        },
      ],
      counts: { all: 12, on_air: 1, upcoming: 3, past: 7 },
      meta: { total: 1, page: 1, current: 1 },
      links: {
        next_url: null,
        end_url: 'https://live.example.com/manage/v1/channels?state=on_air&p=1',
      },
    },
  }),
};
