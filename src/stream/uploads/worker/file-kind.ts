// What a file is that is no video we read, told by its first bytes; its name tells nothing.
import type { Found, ImportProblem } from '../import-problem.ts';

/** Enough for the marks below, and for the first element of a text. */
export const headBytes = 4_096;

type Kind = 'archive' | 'not_video' | 'playlist' | 'format';

/** Bytes in hex; dots stand for any. */
const marks: readonly [Kind, Found, RegExp][] = [
  ['archive', 'zip', /^504b(0304|0506|0708)/],
  ['archive', 'gzip', /^1f8b/],
  ['archive', 'xz', /^fd377a585a00/],
  ['archive', 'bzip2', /^425a68/],
  ['archive', 'zstd', /^28b52ffd/],
  ['archive', 'rar', /^526172211a07/],
  ['archive', 'sevenzip', /^377abcaf271c/],
  ['archive', 'tar', /^.{514}7573746172/],
  ['not_video', 'png', /^89504e470d0a1a0a/],
  ['not_video', 'jpeg', /^ffd8ff/],
  ['not_video', 'gif', /^47494638/],
  ['not_video', 'webp', /^52494646.{8}57454250/],
  ['not_video', 'bmp', /^424d.{8}00000000/],
  ['not_video', 'tiff', /^(49492a00|4d4d002a)/],
  // Brands mif1, msf1, heic, heix, avif, avis.
  ['not_video', 'heif', /^.{8}66747970(6d696631|6d736631|68656963|68656978|61766966|61766973)/],
  ['not_video', 'pdf', /^25504446/],
  ['not_video', 'rtf', /^7b5c727466/],
  // Windows, Linux, macOS, Java and WebAssembly.
  ['not_video', 'program', /^(4d5a|7f454c46|feedfac[ef]|c[ef]faedfe|cafebabe|0061736d)/],
  ['not_video', 'script', /^2321/],
  ['not_video', 'wav', /^52494646.{8}57415645/],
  ['not_video', 'mp3', /^(494433|fff[23ab])/],
  ['not_video', 'flac', /^664c6143/],
  ['not_video', 'ogg', /^4f676753/],
  ['format', 'flv', /^464c56/],
  ['format', 'avi', /^52494646.{8}41564920/],
  ['format', 'asf', /^3026b2758e66cf11/],
  ['format', 'mpegps', /^000001ba/],
  ['format', 'rm', /^2e524d46/],
  ['format', 'mxf', /^060e2b34/],
];

/** Texts by how they begin, without what may stand in front. */
const texts: readonly [Kind, Found, RegExp][] = [
  ['playlist', 'm3u8', /^#EXT(M3U|-X-|INF)/i],
  ['playlist', 'ffconcat', /^ffconcat/i],
  ['playlist', 'pls', /^\[playlist\]/i],
  ['playlist', 'cue', /^(rem|file|title|performer) .*\bfile\s+"/is],
  ['playlist', 'mpd', /^(<\?xml[^>]*>)?\s*(<!--.*?-->\s*)*<(\w+:)?mpd\b/is],
  ['not_video', 'svg', /^(<\?xml[^>]*>)?\s*(<!(--.*?--|doctype[^>]*)>\s*)*<(\w+:)?svg\b/is],
  [
    'not_video',
    'html',
    /^(<\?xml[^>]*>)?\s*(<!--.*?-->\s*)*<(!doctype html|html|head|body|script)\b/is,
  ],
  ['not_video', 'xml', /^<\?xml\b/i],
];

/** Undefined where the beginning is none of these, and may be a video's. */
export function knownKind(head: Uint8Array): ImportProblem | undefined {
  const hex = Buffer.from(head.subarray(0, 512)).toString('hex');
  const text = Buffer.from(head)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '')
    .trimStart();
  const [code, found] =
    marks.find(([, , mark]) => mark.test(hex)) ?? texts.find(([, , mark]) => mark.test(text)) ?? [];
  return code && found && ({ code, found } as ImportProblem);
}

/** Of a file that nobody can read. */
export function isText(head: Uint8Array): boolean {
  const isPlain = (byte: number) => byte >= 0x20 || (byte >= 0x09 && byte <= 0x0d) || byte === 0x1b;
  return head.length > 0 && head.every((byte) => byte !== 0x7f && isPlain(byte));
}
