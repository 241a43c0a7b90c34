// What `/openapi.json` says of the picture of a stream.
import * as z from 'zod';
import { docs } from '../base/api/route.ts';

export const pictureDocs = {
  getPicture: docs({
    summary: 'Get a small picture of what is on a channel now',
    note: 'A JPEG of the newest key frame, at most 480 pixels wide and, where key frames come every 4 seconds or sooner, at most 10 seconds old. It is made when it is asked for, by the decoder that covers are made with, five a second for each service, by the one that has the push, accounts in turns: a list asks for those that it shows, and again after ten seconds. Where more are asked for than that, an older one that will do is given, or 503 with `Retry-After`. 404006: nothing is pushed, or no picture; or it is pushed to another service that cannot be asked; 503 without `Retry-After`: the decoder is not installed.',
    answer: z.unknown(),
    example: undefined,
    errors: ['notOnAir'],
  }),
};
