// What a picture that is uploaded may be, and how many are kept, each with its reason.

/** Those that every browser shows. SVG is none of them: it can carry scripts. */
export const imageTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

export type ImageType = (typeof imageTypes)[number];

export const imageLimits = {
  /** A photograph over the whole page has one or two; a page with five of these is what a phone can still load. */
  bytesMax: 4_194_304,
  /** As wide as the widest screens are. Old phones show nothing of what is wider. */
  sideMax: 4_096,
  /** Whoever looks at it has four bytes of memory a pixel for it: 64 MB. */
  pixelsMax: 16_000_000,
  /** A second or so of each: a browser goes through all of them, again and again. */
  framesMax: 500,
  /** Programs write ten or so. Each one is a pass over the whole picture, so thousands take minutes to show. */
  jpegScansMax: 50,

  /**
   * Parts of a file, by what programs write; ten times as many are made to keep whoever reads them busy. A PNG as large
   * as it may be has 1,024 parts of pixels by ffmpeg and 512 by libpng; some programs write one a line, and there are at
   * most 4,096 lines. A JPEG has at most 255 parts of colour profile and some tables for each pass. Each frame of a WebP
   * or a GIF is two or three.
   */
  partsMax: { 'image/png': 5_000, 'image/jpeg': 1_000, 'image/webp': 2_000, 'image/gif': 2_000 },
  /** Pieces of up to 255 bytes that GIF's parts lie in: 16,449 full ones are a file as large as it may be. */
  gifPiecesMax: 40_000,
  /** Bytes that fill a JPEG up before its parts: some programs begin a part where a block of the disk does. */
  jpegFillBytesMax: 4_096,
  /**
   * Of a PNG, unpacked: whoever looks at it has memory for it. The others do not pack theirs, so they are no larger than
   * the file. Of screens they are a few thousand bytes, of scanners a million or so.
   */
  profileBytesMax: 4_194_304,
  /** Of each turn of the event loop, for all pictures that are being read. */
  turnMs: 4,

  /** Of one channel: its page has places for five, and somebody tries others. */
  ofChannelMax: 50,
  /** One that no saved page names goes after this: whoever edits comes back after lunch, or undoes what was saved. */
  unnamedKeptMs: 86_400_000,

  /** Kept in memory for those who open pages: the pictures of some shows. */
  rememberedBytesMax: 33_554_432,
} as const;
