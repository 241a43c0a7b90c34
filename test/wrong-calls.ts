// Calls of the client that must not compile: `npm run check` fails where a line below a `@ts-expect-error` does.
import { createClient, type FootlightError, verifyWebhook } from '../client/src/index.ts';

/** Somebody who has not read the documents, and the right way beside each mistake. */
export async function carelessCaller(token: string): Promise<void> {
  const footlight = createClient({ baseUrl: 'https://live.example.com', token });
  const channel = { params: { path: { channel_id: 7 } } };

  // @ts-expect-error: there is no such path.
  await footlight.GET('/v1/channels');
  // @ts-expect-error: channels are not changed by POST.
  await footlight.POST('/v1/activities/{channel_id}', channel);
  // @ts-expect-error: which channel?
  await footlight.GET('/v1/activities/{channel_id}');
  // @ts-expect-error: an id is a number.
  await footlight.GET('/v1/activities/{channel_id}', { params: { path: { channel_id: '7' } } });
  const { data } = await footlight.GET('/v1/activities/{channel_id}', channel);

  // @ts-expect-error: `title` is a field of videos.
  data.title.length;
  // @ts-expect-error: `bg_color` is shown by the page update alone.
  data.page.bg_color.length;
  // @ts-expect-error: plans without play addresses leave it out.
  data.hls_play_addr.length;
  data.name.length;

  // @ts-expect-error: a channel has a name.
  await footlight.POST('/v1/activities', { body: {} });
  // @ts-expect-error: a misspelt field.
  await footlight.POST('/v1/activities', { body: { name: 'a', startTime: '2026-05-01 19:30:00' } });
  await footlight.POST('/v1/activities', {
    body: { name: 'a', start_time: '2026-05-01 19:30:00' },
  });

  const records = '/v1/activities/{channel_id}/userRecords';
  const visitors = '/v1/activities/{channel_id}/visitors';
  // @ts-expect-error: the page of watch records is `p`.
  await footlight.POST(records, { ...channel, body: { page: 2 } });
  // @ts-expect-error: so it is where the other fields are right.
  await footlight.POST(visitors, { ...channel, body: { perPage: 5, page: 2 } });
  await footlight.POST(visitors, { ...channel, body: { perPage: 5, p: 2 } });

  // @ts-expect-error: a theme is one of two.
  await footlight.PUT('/v1/activities/{channel_id}/page', { ...channel, body: { theme: 'dark' } });
  // @ts-expect-error: channels have no order to choose.
  await footlight.GET('/v1/activities', { params: { query: { direction: 'asc' } } });

  for await (const video of footlight.rows('/v1/videos', {
    params: { query: { title: 'launch' } },
  })) {
    // @ts-expect-error: a row is a video.
    video.activities;
    video.duration.toFixed();
  }
  // @ts-expect-error: one channel has no pages.
  footlight.pages('/v1/activities/{channel_id}', channel);
  // @ts-expect-error: JSON is no file.
  await footlight.download('/v1/videos');
  for await (const line of footlight.lines(
    '/manage/v1/channels/{channel_id}/sessions.ndjson',
    channel,
  )) {
    // @ts-expect-error: a line is a watch record.
    line.visit_times;
    line.record_id.toFixed();
  }
}

/** A receiver of webhooks: by its type it is known what an event tells. */
export async function carelessReceiver(request: Request): Promise<void> {
  const event = await verifyWebhook(await request.text(), request.headers, 'whsec_…');
  // @ts-expect-error: there is no such type.
  if (event.type === 'show.finished') return;
  // @ts-expect-error: figures are told when a show has ended.
  if (event.type === 'channel.live') event.data.figures.peak.toFixed();
  if (event.type === 'show.ended') event.data.figures.peak.toFixed();
}

export function careless(error: FootlightError): void {
  // @ts-expect-error: what came of a call is read, not written.
  error.code = 0;
}
