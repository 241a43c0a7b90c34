// What `/openapi.json` says of the secret that watch links are signed with.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';

const secretAnswer = z
  .object({ secret: z.string().meta({ description: 'what watch links are signed with' }) })
  .meta({ title: 'ViewerSecret' });

const example = { secret: '2mXb7Qk0sJcV9hTzR4yLwN1aPfUg8sYd3KqWe5RtZ6u' };

export const viewerSecretDocs = {
  getViewerSecret: docs({
    summary: 'Get the secret that watch links are signed with',
    answer: secretAnswer,
    example,
    errors: ['noUser'],
  }),
  rotateViewerSecret: docs({
    summary: 'Make a new secret for watch links; all links that were signed before are wrong then',
    answer: secretAnswer,
    example,
    errors: ['noUser'],
  }),
};
