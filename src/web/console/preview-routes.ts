// The preview of a channel's viewing page, for whoever edits it: the real page, with settings that are not saved.
import { post } from '../../base/api/endpoint.ts';
import { choice } from '../../base/api/fields.ts';
import { type AnyRoute, type Handlers, routes } from '../../base/api/route.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { remembered } from '../../base/lib/remembered.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelById } from '../../library/channels/channel.ts';
import { callersChannel } from '../../library/channels/channel-store.ts';
import { type PageFields, pageFields, readPage } from '../../library/channels/page.ts';
import { changedPage } from '../../library/channels/stored-page.ts';
import { findWatchedChannel } from '../../library/channels/watched-channel-store.ts';
import { lastVideo } from '../../library/videos/shown-video-store.ts';
import { isOfThisMachine } from '../http/asker.ts';
import type { Html } from '../pages/html.ts';
import { type NetworkHost, sharedBase } from '../pages/phone-address.ts';
import { qrSymbol } from '../pages/qr-code.ts';
import { watchData, watchShape } from '../pages/watch-data.ts';
import { watchPage } from '../pages/watch-page.ts';
import { nobody } from './nobody.ts';
import { previewDocs } from './preview-docs.ts';

interface Given {
  store: Store;
  zone: Zone;
  now: () => number;
  networkHost: NetworkHost;
}

export function previewRoutes(given: Given): AnyRoute[] {
  const page = pageFields(given.zone);
  const qrOf = remembered(codesMax, (address) => qrSymbol('qr', address));
  return routes({
    table: previewTable(page),
    docs: previewDocs(page),
    handlers: { previewPage },
    parts: { ...given, page, qrOf },
  });
}

function previewTable(page: PageFields) {
  return {
    previewPage: post('/manage/v1/channels/{channel_id}/page/preview', 'channels:write', {
      audit: 'nothing',
      ...channelById,
      body: { ...page.shape, kind: kindField, language: languageField },
    }),
  };
}

const kindField = choice('the page on a desktop, or on a phone', {
  of: ['watch', 'mobile'],
  cleared: 'watch',
});
const languageField = choice('language of the page', { of: ['en', 'zh'], cleared: 'en' });

interface Parts extends Given {
  page: PageFields;
  qrOf: (address: string) => Html;
}

type Handle = Handlers<ReturnType<typeof previewTable>, ReturnType<typeof previewDocs>, Parts>;

const previewPage: Handle['previewPage'] = async (call, parts) => {
  const { store, zone, now, networkHost, page, qrOf } = parts;
  const { kind = 'watch', language = 'en', ...given } = call.body;
  const { id } = await callersChannel(store, call.params.channel_id, call.caller);
  const sql = store.for(ofAccount(call.caller));
  const channel = await findWatchedChannel(sql, id);
  const stored = changedPage(channel.page, page.change(given));
  const settings = readPage(stored);
  const isLocal = isOfThisMachine(call.address(), call.header);
  const baseUrl = sharedBase({ baseUrl: call.baseUrl, isLocal }, networkHost);
  const last = await lastVideo(sql, channel);
  // As it is off air: on air the picture hides most of what is set here.
  const shown = { ...channel, live: 0 };
  const facts = {
    kind,
    channel: shown,
    settings,
    viewer: nobody,
    last,
    captions: [],
    mediaPath: '',
    language,
    baseUrl,
  };
  const html = watchPage({
    kind,
    settings,
    data: watchData({ ...facts, now: now() }),
    shape: watchShape(facts),
    zone,
    baseUrl,
    nonce: '',
    // Whoever shows it brings the style, and runs none of its scripts.
    assets: { style: '', scripts: { watch: '', video: '', door: '' } },
    qrOf,
  });
  return { body: { page: page.whole.show(stored), html } };
};

/** A page is made anew with every letter that somebody types, and a service has an address or two. */
const codesMax = 100;
