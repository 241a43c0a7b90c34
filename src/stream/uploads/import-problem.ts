// Why an uploaded file does not become a recording: by code what is wrong, with the sentence that people read.

/** What a file may be that is no video, by its first bytes. */
export const foundNames = {
  zip: 'a ZIP archive',
  gzip: 'a gzip archive',
  xz: 'an xz archive',
  bzip2: 'a bzip2 archive',
  zstd: 'a Zstandard archive',
  rar: 'a RAR archive',
  sevenzip: 'a 7z archive',
  tar: 'a tar archive',
  png: 'a PNG picture',
  jpeg: 'a JPEG picture',
  gif: 'a GIF picture',
  webp: 'a WebP picture',
  bmp: 'a BMP picture',
  tiff: 'a TIFF picture',
  heif: 'a HEIF or AVIF picture',
  svg: 'an SVG picture',
  html: 'a web page',
  xml: 'an XML text',
  pdf: 'a PDF document',
  rtf: 'an RTF document',
  program: 'a program',
  script: 'a script',
  text: 'a text',
  m3u8: 'an HLS playlist (m3u8)',
  mpd: 'a DASH playlist (mpd)',
  ffconcat: 'a list of files (ffconcat)',
  pls: 'a playlist (pls)',
  cue: 'a cue sheet',
  flv: 'an FLV video',
  avi: 'an AVI video',
  asf: 'a Windows Media video',
  mpegps: 'an MPEG program stream',
  rm: 'a RealMedia video',
  mxf: 'an MXF video',
  wav: 'a WAV sound',
  mp3: 'an MP3 sound',
  flac: 'a FLAC sound',
  ogg: 'an Ogg file',
} as const;

export type Found = keyof typeof foundNames;

/** By code, what is wrong and what its sentence names. */
export interface ImportProblems {
  /** Nothing was uploaded. */
  empty: Nothing;
  /** It is known what the file is: no video. */
  not_video: { found: Found };
  archive: { found: Found };
  /** It names other files, and holds no media. */
  playlist: { found: Found };
  /** A video of a format that is not read. */
  format: { found: Found };
  /** Nobody can say what the file is. */
  unreadable: Nothing;
  /** Its media stands in other files, which it names. */
  names_files: Nothing;
  /** It ends before what it says it holds does. */
  cut: Nothing;
  no_media: Nothing;
  /** `detail` is for whoever looks into it, in English. */
  damaged: { detail: string };
  encrypted: Nothing;
  /** The picture or the sound is coded in a way that is not taken as it is. */
  codec: { of: 'picture' | 'sound'; found: string; wanted: 'H.264' | 'AAC' };
  /** H.264 or AAC of a kind that browsers do not play; `detail` says which, in English. */
  unplayable: { of: 'picture' | 'sound'; detail: string };
  no_key_frame: Nothing;
  too_large: { width: number; height: number; side: number };
  too_long: { hours: number };
  too_many_tracks: { count: number; most: number };
  /** The process took more memory than it may. */
  memory: { megabytes: number };
  /** It was not done within its deadline. */
  too_slow: { minutes: number };
  /** The signal ended it. */
  ended: Nothing;
  /** The recording could not be written. */
  disk: { detail: string };
  /** Our own part failed. */
  failed: { detail: string };
  /** Its bytes are not on the disk any more. */
  lost: Nothing;
  /** The disk is too full for what it becomes. */
  no_room: Nothing;
  /** Nobody is there to have it. */
  channel_gone: Nothing;
}

type Nothing = Record<never, never>;
type Code = keyof ImportProblems;

export type ImportProblem = { [C in Code]: { code: C } & ImportProblems[C] }[Code];

/** What is wrong with the file itself stays wrong however often it is tried. */
const passing: readonly Code[] = ['ended', 'disk', 'failed'];

export function isFinal({ code }: ImportProblem): boolean {
  return !passing.includes(code);
}

/** In English, with the values of the problem in them; the console has them in other languages too. */
export const problemSentences = {
  empty: 'The file is empty',
  not_video: 'This is {found}, not a video',
  archive: 'This is {found}: unpack it first, then upload the video',
  playlist: 'This is {found}, which names other files; upload the video itself',
  format: 'This is {found}, which is not read: save it as MP4',
  unreadable:
    'This is not a video that can be read: an MP4, MOV, MKV, WebM or MPEG-TS file is wanted',
  names_files: 'Its picture or sound is in other files, which it names; save it as one whole file',
  cut: 'The file ends in the middle; it was cut. Upload the whole file',
  no_media: 'It holds no picture and no sound',
  damaged: 'The file is damaged: {detail}',
  encrypted: 'The file is encrypted; save it without protection',
  codec: 'The {of} is {found}: save it as {wanted}',
  unplayable: '{detail}',
  no_key_frame:
    'The picture has no key frame to begin with: save it as H.264 with a key frame every few seconds',
  too_large: 'The picture is {width}x{height}: each side must be at most {side} pixels',
  too_long: 'It is longer than {hours} hours, which is the most: cut it into pieces',
  too_many_tracks: 'It has {count} tracks; {most} is the most',
  memory: 'To read it takes more than {megabytes} MB of memory',
  too_slow: 'It could not be read within {minutes} minutes',
  ended: 'It was ended before it was done',
  disk: 'It could not be written to the disk: {detail}',
  failed: 'It could not be read here: {detail}',
  lost: 'The service has lost what had come of the file; upload it again',
  no_room: 'The disk has too little room for what the file becomes; try again later',
  channel_gone: 'The channel has gone',
} as const satisfies Record<Code, string>;

/** In English, as the interface speaks. */
export function sentenceOf({ code, ...values }: ImportProblem): string {
  const named: Record<string, string | number> = values;
  return problemSentences[code].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = named[name] ?? '';
    return name === 'found' && Object.hasOwn(foundNames, value)
      ? foundNames[value as Found]
      : String(value);
  });
}

/** Thrown where an import finds out that it cannot go on. */
export class ImportError extends Error {
  readonly problem: ImportProblem;

  constructor(problem: ImportProblem) {
    super(sentenceOf(problem));
    this.problem = problem;
  }
}
