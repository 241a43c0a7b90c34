// What `/openapi.json` says of uploads.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs, nothing } from '../../base/api/route.ts';
import { uploadAnswer } from './upload.ts';
import { uploadLimits } from './upload-limits.ts';

const example: z.output<typeof uploadAnswer> = {
  id: '6f1d0c9a3b5e47f28c0a9d1e2f3b4c5d',
  channel_id: 112,
  name: 'Spring launch, the whole day',
  filename: 'launch.mp4',
  size: 209_715_200,
  offset: 52_428_800,
  state: 'coming',
  problem: '',
  reason: null,
  video_id: null,
  created: '2026-05-04 12:00:00',
  expires: '2026-05-05 12:03:20',
};

const offsetHeader = { 'Upload-Offset': 'how much has come' };
const expiresHeader = { 'Upload-Expires': 'when it is forgotten, unless something comes' };

export const uploadDocs = {
  describeUploads: docs({
    summary: 'Ask which tus is spoken, and how long a file may be',
    answer: nothing,
    example: null,
    answerHeaders: {
      'Tus-Version': 'versions of tus',
      'Tus-Extension': 'what of it is spoken beside its core',
      'Tus-Max-Size': 'bytes that a file may have',
    },
  }),
  beginUpload: docs({
    summary: 'Begin to upload a video',
    note: `By tus 1.0.0, so any client of it will do: this makes the upload, \`PATCH\` at its \`Location\` brings the bytes, and after a cut \`HEAD\` says from where to go on. The request has no body. When all has come the file is read and becomes a video of the channel: H.264 and AAC as they are, other codecs converted where the service has a transcoder. An account has at most ${uploadLimits.unfinishedMax} unfinished uploads, a manager half of what the others leave; one of which nothing comes for a day goes. It lies at the node that took it; where nodes are linked, any of them takes the rest.`,
    answer: uploadAnswer,
    example: { ...example, offset: 0 },
    errors: ['invalid', 'missing', 'noChannel', 'noRoom', 'tooManyUploads', 'tooLarge'],
    requestHeaders: {
      'Upload-Length': { description: 'length of the file in bytes', example: '209715200' },
      'Upload-Metadata': {
        description:
          'keys with their values in base64, by commas: `channel_id`, which must be given, `filename` and `name`',
        example: 'channel_id MTEy,filename bGF1bmNoLm1wNA==',
      },
    },
    answerHeaders: { Location: 'address of the upload', ...expiresHeader },
  }),
  listUploads: docs({
    summary: 'List uploads, the newest first',
    note: 'What is done or refused is shown for a day.',
    answer: z
      .object({
        uploads: z.array(uploadAnswer),
        meta: z.object(metaFields),
        links: linksAnswer,
      })
      .meta({ title: 'UploadList' }),
    example: {
      uploads: [example],
      meta: { total: 1, page: 1, current: 1 },
      links: { next_url: null, end_url: 'https://live.example.com/manage/v1/uploads?p=1' },
    },
  }),
  getUpload: docs({
    summary: 'Get an upload: how much has come, and what has become of it',
    answer: uploadAnswer,
    example,
  }),
  findOffset: docs({
    summary: 'Ask from where an upload goes on',
    note: 'Part of tus. A request that still brings bytes is ended first, so that the answer is exact.',
    answer: nothing,
    example: null,
    errors: ['uploadLost'],
    answerHeaders: { ...offsetHeader, 'Upload-Length': 'length of the file', ...expiresHeader },
  }),
  continueUpload: docs({
    summary: 'Bring bytes of an upload, from where it goes on',
    note: 'Part of tus. What comes before a cut is kept. The answer is sent when all of it is on the disk. A newer request for the same upload ends an older one.',
    answer: nothing,
    example: null,
    errors: ['wrongOffset', 'uploadLost'],
    requestHeaders: { 'Upload-Offset': { description: 'how much has come before', example: '0' } },
    answerHeaders: { ...offsetHeader, ...expiresHeader },
  }),
  endUpload: docs({
    summary: 'End an upload, so that nothing is left of it',
    note: 'Part of tus. One that has become a video is deleted as a video.',
    answer: nothing,
    example: null,
    errors: ['uploadDone'],
  }),
};
