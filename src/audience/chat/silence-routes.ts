// Muting and banning viewers of a channel, beside the interface.
import { get, post } from '../../base/api/endpoint.ts';
import { invalidField } from '../../base/api/errors.ts';
import { choice, dateTime } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import { ofAccount } from '../../base/db/whose.ts';
import type { Zone } from '../../base/lib/time.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type Silence, type SilenceKind, silenceKinds } from './chat-message.ts';
import { silence, silencesOf, silencesOfViewer, unsilence } from './chat-store.ts';
import { type ModerationOptions, viewerIdField } from './moderation.ts';
import { silenceDocs } from './silence-docs.ts';

export function silenceRoutes(parts: ModerationOptions): AnyRoute[] {
  return routes({
    table: silenceTable(parts.zone),
    docs: silenceDocs,
    handlers: {
      listSilences,
      muteViewer: silenceViewer('mute'),
      banViewer: silenceViewer('ban'),
      liftSilence,
    },
    parts,
  });
}

function silenceTable(zone: Zone) {
  const until = dateTime('when it ends; for ever where it is absent', zone);
  const kind = choice('which one', { of: ['both', ...silenceKinds], cleared: 'both' });
  return {
    listSilences: get(
      '/manage/v1/channels/{channel_id}/chat/silences',
      'channels:run',
      channelById,
    ),
    muteViewer: post('/manage/v1/channels/{channel_id}/chat/mute', 'channels:run', {
      ...channelById,
      body: { viewer_id: viewerIdField, until },
      required: ['viewer_id'],
    }),
    banViewer: post('/manage/v1/channels/{channel_id}/chat/ban', 'channels:run', {
      ...channelById,
      body: { viewer_id: viewerIdField, until },
      required: ['viewer_id'],
    }),
    liftSilence: post('/manage/v1/channels/{channel_id}/chat/lift', 'channels:run', {
      ...channelById,
      body: { viewer_id: viewerIdField, kind },
      required: ['viewer_id'],
    }),
  };
}

type Handle = Handlers<ReturnType<typeof silenceTable>, typeof silenceDocs, ModerationOptions>;

const listSilences: Handle['listSilences'] = async ({ params, caller }, { store, zone }) => {
  const channel = await callersChannel(store, params.channel_id, caller);
  const silences = await silencesOf(store.for(ofAccount(caller)), channel.id);
  const all = silences.values().map((one) => shown(one, zone));
  return { body: { silences: await inTurns(all) } };
};

function silenceViewer(kind: SilenceKind): Handle['muteViewer' | 'banViewer'] {
  return async ({ params, body: { viewer_id, until = null }, caller }, parts) => {
    const { store, zone, watch } = parts;
    const now = parts.now();
    if (until !== null && until <= now) throw invalidField('until', 'until must be in the future');
    const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
    await store.perform(silence, { account_id, channel_id, viewer_id, kind, until, now });
    if (kind === 'ban') watch.banned(channel_id, viewer_id);
    // Of a ban it is known already, but for its end.
    if (kind === 'mute' || until !== null) watch.changed(channel_id);
    const own = await silencesOfViewer(store.for(ofAccount(caller)), channel_id, viewer_id);
    return { body: { silences: own.map((one) => shown(one, zone)) } };
  };
}

const liftSilence: Handle['liftSilence'] = async ({ params, body, caller }, parts) => {
  const { store, zone, watch } = parts;
  const { viewer_id, kind = 'both' } = body;
  const { id: channel_id, account_id } = await callersChannel(store, params.channel_id, caller);
  const kinds = kind === 'both' ? silenceKinds : [kind];
  for (const one of kinds)
    await store.perform(unsilence, { account_id, channel_id, viewer_id, kind: one });
  watch.changed(channel_id);
  const left = await silencesOfViewer(store.for(ofAccount(caller)), channel_id, viewer_id);
  return { body: { silences: left.map((one) => shown(one, zone)) } };
};

function shown({ viewer_id, kind, until, created_at }: Silence, zone: Zone) {
  return {
    viewer_id,
    kind,
    until: until === null ? '' : zone.dateTime(until),
    created_at: zone.dateTime(created_at),
  };
}
