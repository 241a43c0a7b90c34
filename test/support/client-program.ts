// A program that uses all of the client: the same in every runtime, so it takes what it needs and returns what it saw.
import type * as footlight from '../../client/src/index.ts';

export interface ProgramOrder {
  url: string;
  token: string;
  /** Of a channel with visitors. */
  channel_id: number;
}

export async function tryClient(
  client: typeof footlight,
  { url, token, channel_id }: ProgramOrder,
) {
  const { createClient, FootlightError, signWebhook, verifyWebhook, watchLink } = client;
  const service = createClient({ baseUrl: url, token });
  const params = { path: { channel_id } };

  const { data: channel } = await service.GET('/v1/activities/{channel_id}', { params });
  const visitors: string[] = [];
  const body = { perPage: 2, direction: 'asc' } as const;
  for await (const row of service.rows('/v1/activities/{channel_id}/visitors', { params, body }))
    visitors.push(row.visitor_id);
  const lines: string[] = [];
  for await (const row of service.lines('/manage/v1/channels/{channel_id}/visitors.ndjson', {
    params,
  }))
    lines.push(row.visitor_id);

  const absent = { params: { path: { channel_id: 987_654 } } };
  const refused = await service.GET('/v1/activities/{channel_id}', absent).then(
    () => 0,
    (error: unknown) => (error instanceof FootlightError ? error.code : -1),
  );

  const { data } = await service.GET('/manage/v1/viewer-secret');
  const { secret } = data;
  const link = await watchLink({ page: channel.watch_url.pc, secret, uid: 'u-42', nick: '李伟' });

  const key = `whsec_${btoa('a secret of thirty-two characters')}`;
  const text = '{"type":"channel.live"}';
  const headers = await signWebhook(text, key, { id: 'evt_1' });
  const { type } = await verifyWebhook(text, new Headers(headers), [key]);
  const forged = await verifyWebhook(text.replace('live', 'dead'), headers, key).then(
    () => '',
    (error: Error) => error.name,
  );
  const told: string[] = [];
  for await (const event of service.events({ channel: channel_id, after: '0.0' })) {
    told.push(event.type);
    break;
  }
  return { name: channel.name, told, visitors, lines, refused, link, type, forged };
}
