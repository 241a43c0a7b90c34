// What `/openapi.json` says of cutting a clip.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';

export const clipDocs = {
  makeClip: docs({
    summary: 'Cut a clip out of a show or a video, as a video of its own',
    note: 'Either `last_seconds` of the show that is on, or from where to where of a `show` or a `video_id`, in milliseconds of its media. It is cut at key frames, so a little more may be taken; the answer says what. Nothing is encoded again. Any service may be asked: a recording that lies on a disk is cut by the service whose disk that is, and a stretch that lies at several is refused with 503.',
    answer: z
      .object({
        id: z.int().meta({ description: 'id of the new video' }),
        from_ms: z.int().meta({ description: 'where what was taken begins, in the media' }),
        to_ms: z.int().meta({ description: 'where it ends' }),
      })
      .meta({ title: 'Clip' }),
    example: { id: 312, from_ms: 3_541_200, to_ms: 3_603_000 },
    errors: ['missing', 'noVideo', 'noShow', 'notRecorded', 'nothingToCut', 'noRoom'],
  }),
};
