// What `/openapi.json` says of muting and banning.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import { silenceKinds } from './chat-message.ts';

const silenceAnswer = z
  .object({
    viewer_id: z.string().meta({ description: 'viewer id' }),
    kind: z
      .enum(silenceKinds)
      .meta({ description: '`mute`: may not write; `ban`: may not enter either' }),
    until: z.string().meta({ description: 'when it ends; an empty string for never' }),
    created_at: z.string().meta({ description: 'when it was made' }),
  })
  .meta({ title: 'Silence' });

const silencesAnswer = z.object({ silences: z.array(silenceAnswer) }).meta({ title: 'Silences' });

const example: z.output<typeof silencesAnswer> = {
  silences: [{ viewer_id: 'u-58213', kind: 'mute', until: '', created_at: '2026-05-01 19:40:00' }],
};

const common = { answer: silencesAnswer, example };

export const silenceDocs = {
  listSilences: docs({
    ...common,
    summary: 'List who is muted or banned in a channel',
    note: 'One that is over may be listed for a while; `until` tells.',
  }),
  muteViewer: docs({ ...common, summary: 'Mute a viewer, who then may not write' }),
  banViewer: docs({
    ...common,
    summary: 'Ban a viewer, who is sent away and may not enter again',
  }),
  liftSilence: docs({
    ...common,
    summary: 'Lift the mute or the ban of a viewer, or both; answers what is left',
  }),
};
