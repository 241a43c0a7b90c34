// Captions by the shapes of the specification, what people's programs write, what hostile hands make of it, cut and bent.
import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { atOnce } from '../../../test/support/pictures.ts';
import type { Steps } from '../../base/turns/stepped-work.ts';
import { captionsLimits } from './captions-limits.ts';
import { CaptionsProblem } from './captions-problem.ts';
import { givenCaptions } from './given-captions.ts';
import { readSubRip } from './sub-rip.ts';
import { readWebVtt, type WebVtt, webVttText } from './web-vtt.ts';

type Reader = (bytes: Uint8Array) => Steps<WebVtt>;

const bytesOf = (text: string) => new TextEncoder().encode(text);

const read = (text: string, reader: Reader = readWebVtt) => atOnce(reader(bytesOf(text)));
/** As it is served. */
const served = (text: string, reader?: Reader) => atOnce(webVttText(read(text, reader)));

function problemOf(bytes: Uint8Array, reader: Reader = readWebVtt): string | undefined {
  try {
    atOnce(reader(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof CaptionsProblem) return error.message;
    throw error;
  }
}

const cue = '00:01.000 --> 00:02.500\nHello';
const one = `WEBVTT\n\n${cue}\n`;
const shown = 'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\nHello\n';

describe('what is taken, and how it is served', () => {
  test.each([
    ['a cue', one, shown],
    ['with a mark of the order of bytes', `\ufeff${one}`, shown],
    ['with ends of lines as Windows has them', one.replaceAll('\n', '\r\n'), shown],
    ['with those that the Mac had', one.replaceAll('\n', '\r'), shown],
    ['without an end of the last line', one.trimEnd(), shown],
    ['with many blank lines', one.replaceAll('\n\n', '\n\n\n\n'), shown],
    ['with a title and facts of the file', `WEBVTT - of YouTube\nKind: captions\n\n${cue}`, shown],
    ['without its notes', `WEBVTT\n\nNOTE\nof me\nand you\n\nNOTE one\n\n${cue}\n\nNOTE`, shown],
    [
      'a cue with a name, hours and a place',
      'WEBVTT\n\nfirst one\n100:00:00.000 -->  100:00:01.000\talign:start  position:10%,line-left line:-1 size:50.5%\n-a\n-b',
      'WEBVTT\n\nfirst one\n100:00:00.000 --> 100:00:01.000 align:start position:10%,line-left line:-1 size:50.5%\n-a\n-b\n',
    ],
    [
      'a cue without a word, and one that begins before it',
      `WEBVTT\n\n00:05.000 --> 00:06.000\n\n${cue}`,
      'WEBVTT\n\n00:00:05.000 --> 00:00:06.000\n\n00:00:01.000 --> 00:00:02.500\nHello\n',
    ],
    [
      'styles and regions',
      `WEBVTT\n\nSTYLE\n::cue(b) { color: rgb(255, 0, 0) }\n\nREGION\nid:fred width:40% lines:3\nregionanchor:0%,100% scroll:up\n\n${cue}`,
      'WEBVTT\n\nSTYLE\n::cue(b) { color: rgb(255, 0, 0) }\n\nREGION\nid:fred width:40% lines:3\nregionanchor:0%,100% scroll:up\n\n00:00:01.000 --> 00:00:02.500\nHello\n',
    ],
  ])('%s', (_, text, wanted) => {
    expect(served(text)).toBe(wanted);
    // What is served is taken again as it is.
    expect(served(wanted)).toBe(wanted);
  });

  test.each([
    '<v Roger Bingham>We are in New York City',
    '<v.loud.first Mary>That is <i.foreignphrase><lang fr>très</lang></i> nice</v>',
    '<c.yellow.bg_blue>two</c> <00:00:01.500><u>three</u>',
    '<ruby>漢<rt>kan</rt>字<rt>ji</ruby>',
    'R&B, 1 &lt; 2 &amp; 3 > 2 &rlm;',
    '\u200fشكرا جزيلا',
    'ends with a blank ',
  ])('%s stays as it is', (text) => {
    expect(read(`WEBVTT\n\n00:01.000 --> 00:02.000\n${text}`).cues[0]?.lines).toEqual([text]);
  });
});

const head = 'WEBVTT\n\n';
const text = (said: string) => `${head}00:01.000 --> 00:02.000\n${said}`;

describe('what is wrong is said, with its line', () => {
  test.each([
    ['nothing', '', 'Line 1: a WebVTT file begins with WEBVTT'],
    ['another file', '<html>', 'Line 1: a WebVTT file begins with WEBVTT'],
    ['a longer word', 'WEBVTTX\n\n', 'Line 1: a WebVTT file begins with WEBVTT'],
    [
      'two arrows',
      `${head}00:01.000 --> 00:02.000 --> 00:03.000\na`,
      'Line 3: "-->" is no setting that browsers know',
    ],
    ['SubRip', '1\n00:00:01,000 --> 00:00:02,000\na', 'Line 1: a WebVTT file begins with WEBVTT'],
    ['no cue', 'WEBVTT\n\nNOTE only this', 'There is nothing to show: the file has no cue'],
    [
      'a cue at once',
      `WEBVTT\n${cue}`,
      'Line 2: a blank line must stand between WEBVTT and the first cue',
    ],
    [
      'words without times',
      `${head}${cue}\n\nhello\nyou`,
      'Line 7: times as 00:01:02.500 --> 00:01:05.000 must stand here',
    ],
    [
      'one word without times',
      `${head}hello`,
      'Line 3: times as 00:01:02.500 --> 00:01:05.000 must stand here',
    ],
    [
      'a comma in a time',
      `${head}00:01,000 --> 00:02.000\na`,
      'Line 3: "00:01,000" is no time as 00:01:02.500',
    ],
    ['an end that is none', `${head}00:01.000 -->\na`, 'Line 3: "" is no time as 00:01:02.500'],
    [
      'a minute of 60 seconds',
      `${head}00:00:01.000 --> 00:00:60.000\na`,
      'Line 3: "00:00:60.000" is no time as 00:01:02.500',
    ],
    [
      'an end before the beginning',
      `${head}name\n00:02.000 --> 00:02.000\na`,
      'Line 4: the cue must end after it has begun',
    ],
    [
      'a place that browsers do not know',
      `${head}00:01.000 --> 00:02.000 align:middle\na`,
      'Line 3: "align:middle" is no setting that browsers know',
    ],
    [
      'a place of the prototype',
      `${head}00:01.000 --> 00:02.000 constructor:1\na`,
      'Line 3: "constructor:1" is no setting that browsers know',
    ],
    [
      'a size beyond the picture',
      `${head}00:01.000 --> 00:02.000 size:101%\na`,
      'Line 3: "size:101%" is no setting that browsers know',
    ],
    [
      'two cues without a blank line between',
      `${head}${cue}\n00:03.000 --> 00:04.000\nb`,
      'Line 5: a blank line must stand before the next cue',
    ],
    [
      'a cue within a note',
      `${head}NOTE\na --> b\n\n${cue}`,
      'Line 4: a blank line must stand before the next cue',
    ],
    [
      'a style behind a cue',
      `${head}${cue}\n\nSTYLE\n::cue {}`,
      'Line 6: STYLE and REGION must stand before the first cue',
    ],
    [
      'a style that loads something',
      `${head}STYLE\n::cue { background: url(//evil) }\n\n${cue}`,
      'Line 4: "url" may not stand in a style',
    ],
    [
      'a style that loads something by another word',
      `${head}STYLE\n::cue { background: IMAGE-SET("//evil" 1x) }\n\n${cue}`,
      'Line 4: "IMAGE-SET" may not stand in a style',
    ],
    [
      'a style that brings another one',
      `${head}STYLE\n@import "//evil";\n\n${cue}`,
      'Line 4: "@" may not stand in a style',
    ],
    [
      'a style that hides what it says',
      `${head}STYLE\n::cue { background: u\\72l(//evil) }\n\n${cue}`,
      'Line 4: "\\\\" may not stand in a style',
    ],
    [
      'a region of another kind',
      `${head}REGION\nid:a\nlines:many\n\n${cue}`,
      'Line 5: "lines:many" is no setting that browsers know',
    ],
    [
      'a script',
      text('a\n<script>alert(1)</script>'),
      'Line 5: "<script>" is no tag of captions; a plain < is written as &lt;',
    ],
    [
      'a picture that runs something',
      text('<img src=x onerror=alert(1)>'),
      'Line 4: "<img src=x onerror=alert(1)>" is no tag of captions; a plain < is written as &lt;',
    ],
    [
      'a heart',
      text('I <3 you'),
      'Line 4: "<3 you" is no tag of captions; a plain < is written as &lt;',
    ],
    ['a tag that is not closed', text('<b>a\nb'), 'Line 4: "<b>" is not closed'],
    ['tags that cross', text('<b><i>a</b></i>'), 'Line 4: "</b>" closes what is not open'],
    ['an end without a beginning', text('a</i>'), 'Line 4: "</i>" closes what is not open'],
    [
      'tags within tags within tags',
      text('<b>'.repeat(100)),
      'Line 4: more than 16 tags lie within each other',
    ],
    ['a NUL', text('a\0b'), 'Line 4: a NUL is no text that can be shown'],
    [
      'times that are too long with their hours',
      `${head}00:01.000 --> 00:02.000 ${'line:1 '.repeat(139)}`,
      'Line 3: a line may have at most 1000 characters',
    ],
    ['a huge line', text('x'.repeat(1_001)), 'Line 4: a line may have at most 1000 characters'],
    [
      'very many lines',
      text('x\n'.repeat(300)),
      'Line 3: no blank line for 100 lines, which are too many for a cue',
    ],
  ])('%s', (_, given, wanted) => {
    expect(problemOf(bytesOf(given))).toBe(wanted);
  });

  test('bytes that are not UTF-8', () => {
    const latin = Buffer.from(`${head}00:01.000 --> 00:02.000\ncafé`, 'latin1');
    expect(problemOf(latin)).toBe('Line 4: this is not UTF-8: save the file as UTF-8');
    const windows = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(one, 'utf16le')]);
    expect(problemOf(windows)).toBe('Line 1: this is not UTF-8: save the file as UTF-8');
  });
});

describe('SubRip', () => {
  test('becomes WebVTT', () => {
    const subRip =
      '\ufeff1\r\n00:00:01,000 --> 00:00:02,500 X1:40 X2:600\r\n<font size="2">\r\n{\\an8}<I>Tom</I> & <font color="#fff">Jerry</font>\r\n- 1 < 2\r\n\r\n2\r\n1:00:02.600 --> 1:00:03.000\r\n7\r\n';
    expect(served(subRip, readSubRip)).toBe(
      'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\n<i>Tom</i> &amp; Jerry\n- 1 &lt; 2\n\n01:00:02.600 --> 01:00:03.000\n7\n',
    );
    expect(served(served(subRip, readSubRip))).toBe(served(subRip, readSubRip));
  });

  test.each(['--{\\an8}>', '--<font>>', '-{\\b1}->'])('%s becomes no arrow', (said) => {
    const made = served(`1\n00:00:01,000 --> 00:00:02,000\na ${said} b`, readSubRip);
    expect(made).toEndWith('\na --&gt; b\n');
    expect(served(made)).toBe(made);
  });

  test.each([
    ['WebVTT', one, 'Line 1: times as 00:01:02,500 --> 00:01:05,000 must stand here'],
    ['nothing', '\n\n', 'There is nothing to show: the file has no cue'],
    [
      'an end before the beginning',
      '1\n00:00:02,000 --> 00:00:01,000\na',
      'Line 2: the cue must end after it has begun',
    ],
    [
      'a minute of 60 seconds',
      '1\n00:00:02,000 --> 00:00:60,000\na',
      'Line 2: "00:00:60.000" is no time as 00:01:02.500',
    ],
    [
      'a tag that is not closed',
      '1\n00:00:01,000 --> 00:00:02,000\n<b>a',
      'Line 3: "<b>" is not closed',
    ],
    [
      'what is too long as WebVTT',
      `1\n00:00:01,000 --> 00:00:02,000\n${'&'.repeat(250)}`,
      'Line 3: a line may have at most 1000 characters',
    ],
    [
      'cues without a blank line between',
      '1\n00:00:01,000 --> 00:00:02,000\na\n2\n00:00:03,000 --> 00:00:04,000\nb',
      'Line 5: a blank line must stand before the next cue',
    ],
  ])('%s is not taken', (_, given, wanted) => {
    expect(problemOf(bytesOf(given), readSubRip)).toBe(wanted);
  });
});

test('what becomes larger than captions may be is not taken', () => {
  const cue = `00:00:01,000 --> 00:00:02,000\n${'&'.repeat(190)}\n\n`;
  const bytes = bytesOf(cue.repeat(2_500));
  expect(bytes.length).toBeLessThan(captionsLimits.bytesMax);
  const given = givenCaptions(bytes, { type: 'application/x-subrip', language: 'en' });
  expect(() => atOnce(given)).toThrow('As WebVTT the file has more than 2000000 bytes');
});

const whole = served(
  `WEBVTT\n\nSTYLE\n::cue(v[voice="Bob"]) { color: lime }\n\nname\n00:01.000 --> 00:02.000 line:0 align:left\n<v Bob>a &amp; <c.x>b</c>\n\n${cue}`,
);

describe('cut and bent', () => {
  /** It is taken and served as what is taken again, or one of our sentences says why not. */
  const judge = (bytes: Uint8Array, reader?: Reader) => {
    if (problemOf(bytes, reader) !== undefined) return;
    const vtt = atOnce((reader ?? readWebVtt)(bytes));
    const made = atOnce(webVttText(vtt));
    expect(served(made)).toBe(made);
    const said = vtt.cues.flatMap(({ lines }) => lines).join('\n');
    expect(said).not.toMatch(/<(?!\/?(?:c|i|b|u|ruby|rt|v|lang)\b|\d)/);
  };

  test('at each byte', () => {
    const bytes = bytesOf(whole);
    for (let length = 0; length < bytes.length; length += 1) judge(bytes.subarray(0, length));
    for (let at = 0; at < bytes.length; at += 1)
      for (const byte of [0, 0x0a, 0x0d, 0x3c, 0x3e, 0x2d, 0xff]) {
        const bent = Uint8Array.from(bytes);
        bent[at] = byte;
        judge(bent);
        judge(bent, readSubRip);
      }
  });

  test('put together of pieces that mean something', () => {
    const piece = fc.constantFrom(
      ...['WEBVTT', '\n', '\n\n', '\r', '\r\n', '00:00:01.000', '00:00:02,000', ' --> ', '-->'],
      ...['NOTE', 'STYLE', 'REGION', '<', '>', '</', 'b>', '<b>', '</b>', '<v a>', 'line:0', 'x'],
      ...['--', '&', '&amp;', '<font>', '{\\an8}', '1', '\0', '\ufeff', '\u2028', '<00:00:01.000>'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        judge(bytesOf(pieces.join('')));
        judge(bytesOf(`WEBVTT\n\n00:01.000 --> 00:02.000\n${pieces.join('')}`));
        judge(bytesOf(`1\n00:00:01,000 --> 00:00:02,000\n${pieces.join('')}`), readSubRip);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([
    ['one line', 'x'],
    ['blanks', ' '],
    ['arrows', '-->'],
    ['tags', '<b>'],
    ['open tags', '<'],
    ['ends of lines', '\r'],
    ['percents', 'size:1%'],
    ['cues', '00:01.000 --> 00:02.000\n\n'],
  ])('as large as it may be, made of %s', (_, part) => {
    const most = part.repeat(Math.floor(captionsLimits.bytesMax / part.length) - 1);
    for (const given of [most, `WEBVTT\n\n${most}`, `${head}00:01.000 --> 00:02.000 ${most}`])
      for (const reader of [readWebVtt, readSubRip])
        expect(problemOf(bytesOf(given), reader) ?? 'taken').toBeString();
  });
});
