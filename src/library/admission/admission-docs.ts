// What `/openapi.json` says of who may watch.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { admissionKinds } from './admission.ts';
import { formFieldKinds } from './registration-form.ts';

const fields = {
  kind: z.enum(admissionKinds).meta({
    description:
      'who may watch now: `open` everybody, `password` who knows it, `codes` who has a code, `list` whose uid or phone is listed, `form` who registers, `signed` who has a link that the account has signed',
  }),
  has_password: z.boolean().meta({ description: 'whether a password is set' }),
  show_cover: z.boolean().meta({ description: 'whether whoever may not watch is shown the cover' }),
  ended_passes: z.int().meta({
    description: 'passes that were taken back one by one since all were, and could still be shown',
  }),
  list: z.array(z.string()).meta({ description: 'of `list`: uids or phones that may watch' }),
  form: z
    .array(
      z.object({
        name: z.string().meta({ description: 'by which answers are kept' }),
        label: z.string().meta({ description: 'what stands at the field' }),
        kind: z.enum(formFieldKinds).meta({ description: 'what is answered in it' }),
        required: z.boolean().meta({ description: 'whether it must be answered' }),
        choices: z.array(z.string()).meta({ description: 'of `choice`: what may be chosen' }),
      }),
    )
    .meta({
      description:
        'what is asked of whoever registers, also while another kind holds; may be empty',
    }),
  of_channel: z.boolean().meta({ description: 'whether it is a video that goes by its channel' }),
};

const accessAnswer = z.object(fields).meta({ title: 'Access' });
const access = {
  answer: accessAnswer,
  example: {
    kind: 'password',
    has_password: true,
    show_cover: true,
    ended_passes: 0,
    list: [],
    form: [],
    of_channel: false,
  } satisfies z.output<typeof accessAnswer>,
};

const linkFields = {
  pass_id: z.string().meta({
    description: 'by which the link is taken back; empty where everybody may watch',
  }),
  expires_at: z.string().meta({ description: 'until when it opens what it leads to' }),
};

const pass = 'p1.WyJjMTAyNCIsIjR4Il0.5uJ0c0yX';
const linkExample = { pass_id: '4nT2kQ9xLwB.tf41x3', expires_at: '2026-05-02 19:30:00' };
const site = 'https://live.example.com';

const setNote =
  'Another kind, or another password, ends all passes: whoever watches is asked anew within seconds.';
const revokeNote =
  'With `pass` one link, with `code` a code, with `uid` the links of one user, with `registration` who has registered, without any of them all passes: whoever watches by them watches no more within ten seconds.';
const linkNote =
  'Whoever has it watches, whatever the kind. It is not kept: only its `pass_id` can take it back before it expires.';

export const admissionDocs = {
  getChannelAccess: docs({ summary: 'Get who may watch a channel', ...access }),
  setChannelAccess: docs({
    summary: 'Say who may watch a channel, and the videos that go by it',
    note: setNote,
    ...access,
  }),
  revokeChannelPasses: docs({
    summary: 'Take passes of a channel back',
    note: revokeNote,
    ...access,
    errors: ['noPermission'],
  }),
  makeChannelPlayLink: docs({
    summary: 'Sign a link that plays a channel',
    note: linkNote,
    answer: z
      .object({
        ...linkFields,
        watch_url: z.object({
          pc: z.string().meta({ description: 'desktop watch address' }),
          mobile: z.string().meta({ description: 'mobile watch address' }),
        }),
        embed_url: z.string().meta({ description: 'embed address' }),
        hls_play_addr: z
          .string()
          .optional()
          .meta({ description: 'HLS play address; traffic plan only' }),
        rtmp_play_addr: z
          .string()
          .optional()
          .meta({ description: 'RTMP play address; traffic plan only' }),
      })
      .meta({ title: 'PlayLink' }),
    example: {
      ...linkExample,
      watch_url: { pc: `${site}/watch/1024?pass=${pass}`, mobile: `${site}/m/1024?pass=${pass}` },
      embed_url: `${site}/embed/1024?pass=${pass}`,
      hls_play_addr: `${site}/pass/${pass}/hls/6Xr0uJ0yq1/live.m3u8`,
      rtmp_play_addr: `rtmp://live.example.com:1935/play/6Xr0uJ0yq1?pass=${pass}`,
    },
  }),
  getVideoAccess: docs({ summary: 'Get who may watch a video', ...access }),
  setVideoAccess: docs({
    summary: 'Say who may watch a video, whatever is said of its channel',
    note: setNote,
    ...access,
  }),
  revokeVideoPasses: docs({
    summary: 'Take passes of a video back',
    note: `${revokeNote} Of a video that goes by its channel passes are taken back there.`,
    ...access,
    errors: ['noPermission'],
  }),
  makeVideoPlayLink: docs({
    summary: 'Sign a link that plays a video',
    note: linkNote,
    answer: z
      .object({
        ...linkFields,
        watch_url: z.string().meta({ description: 'playback address' }),
        embed_url: z.string().meta({ description: 'embed address' }),
        video_url: z.string().meta({ description: 'original video address' }),
        m3u8: z.string().meta({ description: 'm3u8 address' }),
      })
      .meta({ title: 'VideoPlayLink' }),
    example: {
      ...linkExample,
      watch_url: `${site}/videos/311?pass=${pass}`,
      embed_url: `${site}/embed/videos/311?pass=${pass}`,
      video_url: `${site}/pass/${pass}/recordings/311/video.mp4`,
      m3u8: `${site}/pass/${pass}/recordings/311/index.m3u8`,
    },
  }),
};
