// Two services as nodes of one: an upload that lies on the disk of one goes on at the other.
import { expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LinkedStage } from './support/linked-stage.ts';
import { newLiveChannel, until } from './support/live-channel.ts';
import type { TestService } from './support/service.ts';
import { beginHeaders, filmOf, pieceOf, tusHeaders } from './support/uploads.ts';

const stage = new LinkedStage();

/** An upload of the first node, asked for on the second. */
async function begun(size: number) {
  const [{ service: a }, { service: b }] = await stage.start(2);
  const channel = await newLiveChannel(a);
  const token = `Bearer ${a.token}`;
  const begin = await fetch(`${a.url}/manage/v1/uploads`, {
    method: 'POST',
    headers: { authorization: token, ...beginHeaders({ channel_id: channel.id }, size) },
  });
  expect(begin.status).toBe(201);
  const path = new URL(begin.headers.get('location') ?? '').pathname;
  const ask = async (
    service: TestService,
    method: string,
    more: { offset?: number; body?: Blob } = {},
  ) => {
    const { offset, body } = more;
    const answer = await fetch(`${service.url}${path}`, {
      method,
      headers: {
        authorization: token,
        ...tusHeaders,
        ...(offset !== undefined && { 'upload-offset': String(offset) }),
        ...(body && { 'content-type': body.type }),
      },
      ...(body && { body }),
    });
    const text = await answer.text();
    const { headers, status } = answer;
    return { status, text, offset: Number(headers.get('upload-offset')), headers };
  };
  const file = join(a.settings['DATA_DIR'] ?? '', 'uploads', path.split('/').at(-1) ?? '');
  return { a, b, ask, file, channel };
}

test('bytes are brought to either node, and all of them become a video of everybody', async () => {
  const film = await filmOf(3_000_000, 2);
  const { a, b, ask, channel } = await begun(film.length);
  const [third, half] = [Math.floor(film.length / 3), Math.floor(film.length / 2)];
  const first = await ask(b, 'PATCH', { offset: 0, body: pieceOf(film.subarray(0, third)) });
  expect([first.status, first.offset]).toEqual([204, third]);
  for (const node of [a, b]) expect((await ask(node, 'HEAD')).offset).toBe(third);
  const wrong = await ask(b, 'PATCH', { offset: 5, body: pieceOf('more') });
  expect(wrong.status).toBe(409);
  expect(wrong.text).toContain(`Upload-Offset must be ${third}`);
  await ask(a, 'PATCH', { offset: third, body: pieceOf(film.subarray(third, half)) });
  const tooMuch = new Uint8Array(film.length);
  expect((await ask(b, 'PATCH', { offset: half, body: pieceOf(tooMuch) })).status).toBe(413);
  const last = await ask(b, 'PATCH', { offset: half, body: pieceOf(film.subarray(half)) });
  expect([last.status, last.offset]).toEqual([204, film.length]);
  // It was brought by somebody, who is in the log.
  const noted = await b.store.all<{ operation: string }>(
    "SELECT operation FROM audit_log WHERE operation = 'continueUpload'",
  );
  expect(noted).toHaveLength(1);
  const whole = await ask(b, 'PATCH', { offset: film.length, body: pieceOf('more') });
  expect(whole.status).toBe(409);
  const state = async () =>
    await b.store.one<{ state: string; video_id: number }>('SELECT state, video_id FROM uploads');
  await until(async () => (await state())?.state === 'done', {
    withinMs: 30_000,
    otherwise: 'it is no video',
  });
  const { body } = await b.call('GET', `/v1/videos?act_id=${channel.id}`, { token: a.token });
  expect(body.videos).toHaveLength(1);
  expect((await ask(b, 'DELETE')).status).toBe(409);
});

test('a newer request on another node ends an older one, and what came before it is kept', async () => {
  const size = 4_000_000;
  const { a, b, ask, file } = await begun(size);
  const slow = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(100_000)),
  });
  const id = file.split('/').at(-1);
  const older = fetch(`${b.url}/manage/v1/uploads/${id}`, {
    method: 'PATCH',
    headers: {
      authorization: `Bearer ${a.token}`,
      ...tusHeaders,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
    },
    body: slow,
  });
  await until(() => Bun.file(file).size >= 100_000, {
    withinMs: 10_000,
    otherwise: 'nothing comes',
  });
  const found = await ask(a, 'HEAD');
  expect(found.offset).toBe(100_000);
  // At once, not when the next piece comes, or none has come for long.
  expect((await older).status).toBe(503);
  expect((await ask(b, 'HEAD')).offset).toBe(100_000);
});

test('it is ended on the other node, and nothing is left of it', async () => {
  const { b, ask, file } = await begun(1_000);
  await ask(b, 'PATCH', { offset: 0, body: pieceOf('some') });
  expect(existsSync(file)).toBe(true);
  expect((await ask(b, 'DELETE')).status).toBe(204);
  expect(existsSync(file)).toBe(false);
  expect((await ask(b, 'HEAD')).status).toBe(404);
});

test('while its node is away it is asked for again later', async () => {
  const { b, ask } = await begun(1_000);
  await stage.stopFirst();
  for (const [method, more] of [
    ['HEAD', {}],
    ['PATCH', { offset: 0, body: pieceOf('some') }],
    ['DELETE', {}],
  ] as const) {
    const answer = await ask(b, method, more);
    expect([method, answer.status]).toEqual([method, 503]);
    expect(answer.headers.get('retry-after')).toBe('2');
  }
  // What is known without its file is shown.
  expect((await ask(b, 'GET')).status).toBe(200);
});
