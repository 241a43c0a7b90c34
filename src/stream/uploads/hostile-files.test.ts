// Files that strangers have made to do harm: each is refused with a sentence, or nothing but its media is kept.
import { afterAll, describe, expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { clip } from '../../../test/fixtures/media/clip.ts';
import { bent, box, boxAt, clipMp4, renamed } from '../../../test/support/bent-mp4.ts';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { forgedRecord } from '../../../test/support/forged-record.ts';
import { readBoxes } from '../formats/mp4-box.ts';
import { type ImportAnswer, type ImportOptions, importFile } from './import-file.ts';
import { sentenceOf } from './import-problem.ts';

const memoryBytesMax = 768 * 1_048_576;
const mp4 = await clipMp4();
const sentence = /^[A-Z][^\n]{8,200}$/;

/** What becomes of a file of these bytes, and where it was to become a recording. */
async function imported(
  bytes: Uint8Array | string,
  options: Partial<ImportOptions> = {},
): Promise<{ answer: ImportAnswer; making: string }> {
  const folder = temporaryFolder();
  const [source, making] = [join(folder, 'upload'), join(folder, 'making')];
  writeFileSync(source, bytes);
  const { signal } = new AbortController();
  const answer = await importFile(
    { source, making, note: { channel_id: 1, account_id: 1 }, startsAt: 0, memoryBytesMax },
    { signal, ...options },
  );
  expect(existsSync(making)).toBe(answer.ok);
  return { answer, making };
}

async function refusal(bytes: Uint8Array | string, options: Partial<ImportOptions> = {}) {
  const { answer } = await imported(bytes, options);
  if (answer.ok) throw new Error('it was taken');
  expect(answer.text).toMatch(sentence);
  expect(answer.text).toBe(sentenceOf(answer.problem));
  return answer.problem;
}

const u32 = (...values: number[]) =>
  Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(value >>> 0);
      return bytes;
    }),
  );

describe('a file that is no video', () => {
  const png = Buffer.concat([
    Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    u32(65_535, 65_535),
    Buffer.from('0802000000', 'hex'),
  ]);
  const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
  const cases: [string, Uint8Array | string, object][] = [
    ['a ZIP bomb', Buffer.from('504b0304ffffffff', 'hex'), { code: 'archive', found: 'zip' }],
    ['a gzip bomb', gzipSync(Buffer.alloc(8_388_608)), { code: 'archive', found: 'gzip' }],
    ['a PNG of 65,535 by 65,535', png, { code: 'not_video', found: 'png' }],
    ['a JPEG', Buffer.from('ffd8ffe000104a464946', 'hex'), { code: 'not_video', found: 'jpeg' }],
    ['an SVG with a script', script, { code: 'not_video', found: 'svg' }],
    [
      'an SVG behind a prolog',
      `<?xml version="1.0"?>\n<!-- a --><!DOCTYPE svg>\n${script}`,
      { code: 'not_video', found: 'svg' },
    ],
    ['a web page', '\ufeff  <!doctype html><p>hi', { code: 'not_video', found: 'html' }],
    ['a PDF', '%PDF-1.7 …', { code: 'not_video', found: 'pdf' }],
    ['a program', Buffer.from('7f454c460201', 'hex'), { code: 'not_video', found: 'program' }],
    ['a text', 'Dear all,\nthe show is off.\n', { code: 'not_video', found: 'text' }],
    ['a DASH playlist', '<?xml version="1.0"?><MPD/>', { code: 'playlist', found: 'mpd' }],
    ['an ffconcat list', "ffconcat version 1.0\nfile '/etc/passwd'", { code: 'playlist' }],
    ['an FLV', 'FLV\x01\x05', { code: 'format', found: 'flv' }],
    ['nothing', '', { code: 'empty' }],
    ['one byte', Buffer.of(0), { code: 'unreadable' }],
    ['noise', Buffer.concat([Buffer.of(0, 1, 2), randomBytes(100_000)]), { code: 'unreadable' }],
  ];
  test.each(cases)('%s is named', async (_, bytes, problem) => {
    expect(await refusal(bytes)).toMatchObject(problem);
  });
});

describe('what a file names is never opened:', () => {
  let asked = 0;
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: count });
  afterAll(() => server.stop(true));
  function count(): Response {
    asked += 1;
    return new Response('#EXTM3U');
  }
  const playlist = `#EXTM3U\n#EXTINF:4,\nfile:///etc/passwd\n#EXTINF:4,\n${server.url}a.ts\n#EXT-X-ENDLIST\n`;

  test('a playlist', async () => {
    expect(await refusal(playlist)).toEqual({ code: 'playlist', found: 'm3u8' });
    expect(asked).toBe(0);
  });

  test('a playlist within an MP4', async () => {
    const within = Buffer.concat([
      mp4.subarray(0, boxAt(mp4, 'moov').at),
      box('free', Buffer.from(playlist)),
    ]);
    // Without a movie there is nothing but the playlist.
    expect(await refusal(within)).toEqual({ code: 'cut' });
    expect(asked).toBe(0);
  });

  test('a reference to another file', async () => {
    const named = Buffer.from(`${server.url}media.mp4\0`);
    const entry = box('url ', u32(0), named);
    const dref = box('dref', u32(0, 1), entry);
    expect(await refusal(withMovie((moov) => replaced(moov, 'dref', dref)))).toEqual({
      code: 'names_files',
    });
    expect(asked).toBe(0);
  });
});

describe('a real MP4 with something else in it is taken without that:', () => {
  const mark = '<script>alert("polyglot")</script>';
  const files: [string, Buffer][] = [
    ['a web page behind it', Buffer.concat([mp4, Buffer.from(`<html>${mark}`)])],
    ['a JPEG behind it', Buffer.concat([mp4, Buffer.from('ffd8ffe0', 'hex'), Buffer.from(mark)])],
    ['a box of its own', Buffer.concat([mp4, box('free', Buffer.from(mark))])],
    [
      'tags in what describes it',
      withMovie((moov) => grown(moov, box('udta', box('name', Buffer.from(mark))))),
    ],
  ];
  test.each(files)('%s', async (_, bytes) => {
    const { answer, making } = await imported(bytes);
    expect(answer).toEqual({ ok: true });
    const made = readFileSync(join(making, 'source.mp4'));
    expect(new Set([...readBoxes(made)].map(({ type }) => type))).toEqual(
      new Set(['ftyp', 'moov', 'moof', 'mdat']),
    );
    expect(made.includes('polyglot')).toBe(false);
    expect(readFileSync(join(making, 'source.index'), 'utf8')).not.toContain('polyglot');
  });
});

describe('a file that was cut says so,', () => {
  const moov = boxAt(mp4, 'moov');
  const mdat = boxAt(mp4, 'mdat');
  const lengths: [string, number][] = [
    ['behind its first box', moov.at],
    ['in the header of a box', moov.at + 4],
    ['in what describes it', moov.at + 700],
    ['where its media begins', mdat.at],
    ['in the middle of its media', mdat.at + (mdat.size >> 1)],
    ['at its last byte', mp4.length - 1],
  ];
  test.each(lengths)('%s', async (_, length) => {
    expect(await refusal(mp4.subarray(0, length))).toEqual({ code: 'cut' });
  });

  test('also where the box of the media goes up to the end of the file', async () => {
    const open = Buffer.from(mp4.subarray(0, mp4.length - 1_000));
    open.writeUInt32BE(0, mdat.at);
    // The length of 64 bits then is part of the media, as nothing says where it begins but the tables.
    expect(await refusal(open)).toEqual({ code: 'cut' });
  });
});

describe('an MP4 whose boxes lie:', () => {
  const stbl = 'moov trak mdia minf stbl';
  const cases: [string, Buffer, object][] = [
    ['4 billion samples by their times', bent(mp4, `${stbl} stts`, 8, 0xffffffff), damaged()],
    ['4 billion sizes', bent(mp4, `${stbl} stsz`, 8, 0xffffffff), damaged()],
    ['4 billion sizes that are all the same', sameSizes(), damaged()],
    ['4 billion chunks', bent(mp4, `${stbl} co64`, 4, 0xffffffff), damaged()],
    ['4 billion samples in a chunk', bent(mp4, `${stbl} stsc`, 12, 0xffffffff), damaged()],
    ['chunks that are nowhere', bent(mp4, `${stbl} co64`, 8, 0x00ffffff), { code: 'cut' }],
    ['a sample of 2 GB', bent(mp4, `${stbl} stsz`, 12, 0x7fffffff), { code: 'cut' }],
    ['a day between pictures', bent(mp4, `${stbl} stts`, 12, 86_400_000), { code: 'too_long' }],
    ['years between pictures', bent(mp4, `${stbl} stts`, 12, 0xfffffff0), { code: 'too_long' }],
    ['a picture shown an hour before', bent(mp4, `${stbl} ctts`, 20, -3_600_000), damaged()],
    ['no ticks in a second', bent(mp4, 'moov trak mdia mdhd', 20, 0), damaged()],
    ['boxes nested 5,000 deep', withMovie((moov) => grown(moov, nested(5_000))), damaged()],
    ['100,000 boxes', withMovie((moov) => grown(moov, many(100_000))), damaged()],
    ['a box of 2 bytes', sized('moov', 2), { code: 'cut' }],
    ['a box up to the end', sized('moov', 0), {}],
    ['a box of 2^63 bytes', long('mdat', 0x80000000), { code: 'cut' }],
    [
      'no tracks',
      renamed(renamed(mp4, 'moov trak', 'free'), 'moov trak', 'free'),
      { code: 'no_media' },
    ],
  ];
  test.each(cases)('%s', async (_, bytes, problem) => {
    expect(await refusal(bytes)).toMatchObject(problem);
  });

  test('pictures of 65,535 pixels each way', async () => {
    const record = forgedRecord({ columns: 4_096, rows: 4_096, referenceFrames: 1 });
    const tracks = clip.tracks.map((track) =>
      track.kind === 'video' ? { ...track, record, width: 65_535, height: 65_535 } : track,
    );
    expect(await refusal(await clipMp4({ ...clip, tracks }))).toEqual({
      code: 'too_large',
      width: 65_536,
      height: 65_536,
      side: 8_192,
    });
  });

  test('samples that are protected', async () => {
    const entry = boxAt(mp4, `${stbl} stsd`).bodyAt + 8;
    const bytes = Buffer.from(mp4);
    bytes.write('encv', entry + 4, 'latin1');
    expect(await refusal(bytes)).toEqual({ code: 'encrypted' });
  });

  function damaged() {
    return { code: 'damaged' };
  }
  function sameSizes(): Buffer {
    return bent(bent(mp4, `${stbl} stsz`, 4, 1), `${stbl} stsz`, 8, 0xffffffff);
  }
  function sized(path: string, size: number): Buffer {
    const bytes = Buffer.from(mp4);
    bytes.writeUInt32BE(size, boxAt(mp4, path).at);
    return bytes;
  }
  function long(path: string, high: number): Buffer {
    const bytes = Buffer.from(mp4);
    bytes.writeUInt32BE(high, boxAt(mp4, path).at + 8);
    return bytes;
  }
  function nested(depth: number): Buffer {
    let inner: Buffer = Buffer.alloc(0);
    for (let left = depth; left > 0; left -= 1) inner = box('mdia', inner);
    return box('trak', inner);
  }
  function many(count: number): Buffer {
    return Buffer.concat(Array.from({ length: count }, () => box('free')));
  }
});

describe('a process that', () => {
  const stub = (program: string) => {
    const path = join(temporaryFolder(), 'stub.ts');
    writeFileSync(
      path,
      `import { mkdirSync, writeFileSync } from 'node:fs';
       let text = '';
       for await (const piece of process.stdin) { text += piece; if (text.includes('\\n')) break; }
       const { making } = JSON.parse(text);
       mkdirSync(making); writeFileSync(making + '/source.mp4', 'half');
       ${program}`,
    );
    return pathToFileURL(path);
  };
  const hangs = 'setInterval(() => {}, 1_000); await new Promise(() => {});';

  test('never ends is ended by its deadline', async () => {
    const options = { workerUrl: stub(hangs), deadlineMs: 500 };
    expect(await refusal(mp4, options)).toEqual({ code: 'too_slow', minutes: 1 });
  });

  test('takes all memory is ended', async () => {
    const greedy =
      'const all = []; for (;;) { all.push(Buffer.alloc(8_388_608, 1)); await Bun.sleep(1); }';
    expect(await refusal(mp4, { workerUrl: stub(greedy) })).toEqual({
      code: 'memory',
      megabytes: 768,
    });
  });

  test('crashes, or says what nobody understands, has failed; it may be tried again', async () => {
    for (const program of ['process.exit(3);', 'console.log("[]");', 'console.log("{}");']) {
      const { answer } = await imported(mp4, { workerUrl: stub(`${program} process.exit(0);`) });
      expect(answer).toMatchObject({ ok: false, isFinal: false, problem: { code: 'failed' } });
    }
  });

  test('is not wanted any more is ended, and may be tried again', async () => {
    const ending = new AbortController();
    const running = imported(mp4, { workerUrl: stub(hangs), signal: ending.signal });
    ending.abort();
    expect((await running).answer).toMatchObject({ isFinal: false, problem: { code: 'ended' } });
  });
});

test('whatever is bent in a real MP4, there is an answer, and a folder only where it is good', async () => {
  const places = fc.array(fc.record({ at: fc.nat(mp4.length - 1), value: fc.nat(255) }), {
    minLength: 1,
    maxLength: 12,
  });
  // Half of them in what describes the media, where a byte means most.
  const inMovie = places.map((all) =>
    all.map(({ at, value }) => ({ at: at % boxAt(mp4, 'mdat').at, value })),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(places, inMovie), async (changes) => {
      const bytes = Buffer.from(mp4);
      for (const { at, value } of changes) bytes[at] = value;
      const { answer } = await imported(bytes, { deadlineMs: 20_000 });
      if (answer.ok) return;
      expect(answer.text).toMatch(sentence);
      expect(answer.problem.code).not.toBe('failed');
    }),
    { numRuns: 40 },
  );
});

/** The clip with another `moov`; where its samples lie follows. */
function withMovie(change: (moov: Buffer) => Buffer): Buffer {
  const { at, size } = boxAt(mp4, 'moov');
  const old = Buffer.from(mp4.subarray(at, at + size));
  const moov = change(old);
  const moved = moov.length - old.length;
  for (const trak of [0, 1]) {
    const path = `moov ${trak} trak mdia minf stbl co64`;
    const { bodyAt, size: length } = boxAt(moov, path);
    for (let place = bodyAt + 8; place < bodyAt - 8 + length; place += 8)
      moov.writeBigUInt64BE(moov.readBigUInt64BE(place) + BigInt(moved), place);
  }
  return Buffer.concat([mp4.subarray(0, at), moov, mp4.subarray(at + size)]);
}

function grown(moov: Buffer, more: Buffer): Buffer {
  return box('moov', moov.subarray(8), more);
}

/** With another box in the place of the first of that type, and lengths around it that fit. */
function replaced(moov: Buffer, type: string, by: Buffer): Buffer {
  const path = ['moov', 'trak', 'mdia', 'minf', 'dinf', type];
  const { at, size } = boxAt(moov, path.join(' '));
  const whole = Buffer.concat([moov.subarray(0, at), by, moov.subarray(at + size)]);
  for (let depth = 1; depth < path.length; depth += 1) {
    const around = boxAt(moov, path.slice(0, depth).join(' '));
    whole.writeUInt32BE(around.size + by.length - size, around.at);
  }
  return whole;
}
