// What `/openapi.json` says of the account and of what its videos take.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import { placeLanguages } from '../access/account-store.ts';

const count = (description: string) => z.int().meta({ description });
const days = (what: string) => count(`${what} are kept for so many days; 0: for ever`);

const accountAnswer = z
  .object({
    id: z.int(),
    name: z.string(),
    plan: z
      .enum(['traffic', 'standard'])
      .meta({ description: 'whether play addresses are shown; the operator decides' }),
    auto_save_live_video: z.boolean().meta({ description: 'whether a push becomes a video' }),
    place_language: z
      .enum(placeLanguages)
      .meta({ description: 'in which new watch records say where a viewer is (`addr`)' }),
    created_at: z.string(),
    channels: count('channels that there are'),
    channels_max: count('channels that there may be; 0: any number'),
    videos: count('videos that there are'),
    managers: count('managers that there are'),
    people: count('people who may sign in'),
    tokens: count('tokens that are not revoked'),
    video_retention_days: days('videos of pushes'),
    audience_retention_days: days('watch records and chat'),
    ip_retention_days: days('whole IP addresses'),
  })
  .meta({ title: 'Account' });

const accountExample: z.output<typeof accountAnswer> = {
  id: 1,
  name: 'first',
  plan: 'traffic',
  auto_save_live_video: true,
  place_language: 'en',
  created_at: '2026-04-02 09:00:41',
  channels: 12,
  channels_max: 10_000,
  videos: 31,
  managers: 2,
  people: 3,
  tokens: 4,
  video_retention_days: 0,
  audience_retention_days: 365,
  ip_retention_days: 30,
};

const useAnswer = z
  .object({
    id: count('channel id'),
    name: z.string().meta({ description: 'channel name; empty where the channel is gone' }),
    deleted: z.boolean().meta({
      description:
        'whether the channel is deleted: its recordings take room until they are removed',
    }),
    videos: z.int(),
    bytes: z.int(),
  })
  .meta({ title: 'ChannelStorage' });

export const accountDocs = {
  getAccount: docs({
    summary: 'Get the account: its plan, what it has, how long what is kept',
    answer: accountAnswer,
    example: accountExample,
    errors: ['noUser'],
  }),
  changeAccount: docs({
    summary: "Change the account's name, or whether a push becomes a video",
    answer: accountAnswer,
    example: accountExample,
    errors: ['noUser'],
  }),
  getStorage: docs({
    summary:
      'Get what recordings take on disk, by channel, the most first, pictures of pages and captions',
    note: 'A recording counts twice, as it was pushed and as the MP4 that is made of it, which is how its bound is counted too; variants and other smaller sizes are not counted. Pictures of pages and captions count once.',
    answer: z
      .object({
        bytes: count('of all channels, of what is being uploaded, of pictures and of captions'),
        uploads_bytes: count('of these, what has come of files that are no videos yet'),
        images_bytes: count('of these, what uploaded pictures of viewing pages take'),
        captions_bytes: count('of these, what captions of videos take'),
        bytes_max: count('beyond this nothing more is recorded or kept; 0: no bound'),
        videos: count('recordings of all channels'),
        channels: z.array(useAnswer),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'Storage' }),
    example: {
      bytes: 7_341_236_112,
      uploads_bytes: 0,
      images_bytes: 1_204_112,
      captions_bytes: 0,
      bytes_max: 0,
      videos: 31,
      channels: [
        { id: 112, name: 'Spring launch', deleted: false, videos: 31, bytes: 7_340_032_000 },
      ],
      meta: { total: 1, page: 1, current: 1 },
      links: { next_url: null, end_url: 'https://live.example.com/manage/v1/storage?p=1' },
    },
  }),
};
