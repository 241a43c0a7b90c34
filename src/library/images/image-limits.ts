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

  /** Of one channel: its page has places for five, and somebody tries others. */
  ofChannelMax: 50,
  /** One that no saved page names goes after this: whoever edits comes back after lunch, or undoes what was saved. */
  unnamedKeptMs: 86_400_000,

  /** Kept in memory for those who open pages: the pictures of some shows. */
  rememberedBytesMax: 33_554_432,
} as const;
