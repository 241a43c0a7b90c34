// What `/openapi.json` says of captions.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { captionsAnswer, captionsExample } from './captions.ts';
import { captionsLimits } from './captions-limits.ts';

const { bytesMax, languagesMax } = captionsLimits;

const list = {
  answer: z.object({ captions: z.array(captionsAnswer) }).meta({ title: 'CaptionsList' }),
  example: { captions: [captionsExample] },
};

export const captionsDocs = {
  listCaptions: docs({ ...list, summary: 'List the captions of a video, by their languages' }),
  getCaptions: docs({
    summary: 'Get the captions of a video in one language, as WebVTT',
    answer: z.string(),
    example: 'WEBVTT\n\n00:00:01.000 --> 00:00:03.500\nGood evening, and welcome.\n',
    errors: ['invalid', 'noCaptions'],
  }),
  setCaptions: docs({
    summary: 'Set the captions of a video in one language',
    note: `The body is the file itself: WebVTT (\`text/vtt\`) or SubRip (\`application/x-subrip\`, which becomes WebVTT), as UTF-8, at most ${bytesMax.toLocaleString('en')} bytes. It takes the place of what there was in that language; a video may have ${languagesMax}. What a browser would pass over without a word is a 400 that names the line. Notes in it are left out.`,
    answer: captionsAnswer,
    example: captionsExample,
    errors: ['noPermission', 'noRoom'],
  }),
  removeCaptions: docs({
    ...list,
    summary: 'Remove the captions of a video in one language',
    note: 'The answer lists those that are left.',
    errors: ['invalid', 'noCaptions'],
  }),
};
