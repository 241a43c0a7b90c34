// What captions of a video may be, and how many it may have, each with its reason.

/** WebVTT, and SubRip, which becomes WebVTT. */
export const captionTypes = ['text/vtt', 'application/x-subrip'] as const;
export type CaptionType = (typeof captionTypes)[number];

export const captionsLimits = {
  /** Somebody who speaks fast for twelve hours comes to 1 MB. */
  bytesMax: 2_000_000,
  /** As many as the largest conferences are interpreted into, and the choice of a page still fits a screen. */
  languagesMax: 32,
  labelCharactersMax: 60,
  /** As long as the longest tag that people write, as `zh-Hant-HK`, several times over. */
  languageCharactersMax: 35,

  /** Of a line: what a screen shows at once is some 200 characters. A page of them would stand still on longer ones. */
  lineCharactersMax: 1_000,
  /** Of a cue, a note or a style: a cue has two lines or three. As many full of tags are read in some milliseconds. */
  blockLinesMax: 100,
  /** Tags within tags, as a browser makes an element of each. */
  tagDepthMax: 16,

  /** Of each turn of the event loop, for all captions that are being read. */
  turnMs: 4,
  /** Kept in memory for those who watch: the captions of some videos. */
  rememberedCharactersMax: 8_000_000,
} as const;
