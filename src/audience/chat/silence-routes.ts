// Muting and banning viewers of a channel, beside the interface.
import * as z from 'zod';
import { invalidField } from '../../base/api/errors.ts';
import { choice, dateTime } from '../../base/api/fields.ts';
import { type AnyRoute, route } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { channelParams } from '../../library/channels/channel-routes.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type Silence, type SilenceKind, silenceKinds } from './chat-message.ts';
import { silence, silencesOf, silencesOfViewer, unsilence } from './chat-store.ts';
import { type ModerationOptions, viewerIdField } from './moderation.ts';

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

const base = '/manage/v1/channels/{channel_id}/chat' as const;
const common = {
  section: 'own',
  scope: 'manage',
  params: channelParams,
  query: {},
  answer: silencesAnswer,
  example,
  absent: 'noChannel',
} as const;

export function silenceRoutes(given: ModerationOptions): AnyRoute[] {
  const { store, zone } = given;
  return [
    route({
      ...common,
      operationId: 'listSilences',
      method: 'GET',
      path: `${base}/silences`,
      summary: 'List who is muted or banned in a channel',
      note: 'One that is over may be listed for a while; `until` tells.',
      handle: async ({ params, caller }) => {
        const channel = await callersChannel(store, params.channel_id, caller);
        const silences = await silencesOf(store.for(ofAccount(caller)), channel.id);
        const all = silences.values().map((one) => shown(one, zone));
        return { body: { silences: await inTurns(all) } };
      },
    }),
    silenceRoute(given, 'mute'),
    silenceRoute(given, 'ban'),
    route({
      ...common,
      operationId: 'liftSilence',
      method: 'POST',
      path: `${base}/lift`,
      summary: 'Lift the mute or the ban of a viewer, or both; answers what is left',
      body: {
        viewer_id: viewerIdField,
        kind: choice('which one', { of: ['both', ...silenceKinds], cleared: 'both' }),
      },
      required: ['viewer_id'],
      handle: async ({ params, body: { viewer_id, kind = 'both' }, caller }) => {
        const { id: channel_id, account_id } = await callersChannel(
          store,
          params.channel_id,
          caller,
        );
        const kinds = kind === 'both' ? silenceKinds : [kind];
        for (const one of kinds)
          await store.perform(unsilence, { account_id, channel_id, viewer_id, kind: one });
        const left = await silencesOfViewer(store.for(ofAccount(caller)), channel_id, viewer_id);
        return { body: { silences: left.map((one) => shown(one, zone)) } };
      },
    }),
  ];
}

function silenceRoute(given: ModerationOptions, kind: SilenceKind): AnyRoute {
  const { store, zone, now, watch } = given;
  return route({
    ...common,
    operationId: `${kind}Viewer`,
    method: 'POST',
    path: `${base}/${kind}`,
    summary:
      kind === 'mute'
        ? 'Mute a viewer, who then may not write'
        : 'Ban a viewer, who is sent away and may not enter again',
    body: {
      viewer_id: viewerIdField,
      until: dateTime('when it ends; for ever where it is absent', zone),
    },
    required: ['viewer_id'],
    handle: async ({ params, body: { viewer_id, until = null }, caller }) => {
      const at = now();
      if (until !== null && until <= at) throw invalidField('until', 'until must be in the future');
      const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
      await store.perform(silence, { account_id, channel_id, viewer_id, kind, until, now: at });
      if (kind === 'ban') watch.banned(channel_id, viewer_id);
      const own = await silencesOfViewer(store.for(ofAccount(caller)), channel_id, viewer_id);
      return { body: { silences: own.map((one) => shown(one, zone)) } };
    },
  });
}

function shown({ viewer_id, kind, until, created_at }: Silence, zone: Zone) {
  return {
    viewer_id,
    kind,
    until: until === null ? '' : zone.dateTime(until),
    created_at: zone.dateTime(created_at),
  };
}
