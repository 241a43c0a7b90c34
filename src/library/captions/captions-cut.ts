// Captions of stretches of videos, one behind the other: those of a clip.
import type { Steps } from '../../base/turns/stepped-work.ts';
import type { KeptCaptions } from './captions-store.ts';
import { type Cue, readWebVtt, type WebVtt, webVttText } from './web-vtt.ts';

/** Of a video's media, in milliseconds, and where in the clip it begins. */
export interface CutStretch {
  fromMs: number;
  toMs: number;
  atMs: number;
}

/** Captions in one language of one of the videos, and which stretch of it the clip has. */
export interface CutCaptions {
  captions: KeptCaptions;
  stretch: CutStretch;
}

/** In each language one; of one of which nothing is said in the clip there is none. In the order of the clip. */
export function* cutCaptions(cuts: readonly CutCaptions[]): Steps<KeptCaptions[]> {
  const made: KeptCaptions[] = [];
  for (const [language, pieces] of Map.groupBy(cuts, ({ captions }) => captions.language)) {
    const joined: WebVtt[] = [];
    for (const { captions, stretch } of pieces) {
      const whole: WebVtt = yield* readWebVtt(new TextEncoder().encode(captions.text));
      joined.push({ ...whole, cues: whole.cues.flatMap((cue) => cutCue(cue, stretch)) });
    }
    const cues = joined.flatMap((one) => one.cues);
    const label = pieces[0]?.captions.label ?? language;
    // Styles and regions of several videos go by the same names.
    const blocks = joined.find((one) => one.cues.length > 0)?.blocks ?? [];
    if (cues.length > 0) made.push({ language, label, ...(yield* asKept({ blocks, cues })) });
  }
  return made;
}

/** What of it lies in the stretch, at its place in the clip. */
function cutCue(cue: Cue, { fromMs, toMs, atMs }: CutStretch): Cue[] {
  const startMs = Math.max(cue.startMs, fromMs) - fromMs + atMs;
  const endMs = Math.min(cue.endMs, toMs) - fromMs + atMs;
  return startMs < endMs ? [{ ...cue, startMs, endMs }] : [];
}

/** As it is kept and served. */
export function* asKept(read: WebVtt): Steps<Pick<KeptCaptions, 'cues' | 'bytes' | 'text'>> {
  const text = yield* webVttText(read);
  return { cues: read.cues.length, bytes: Buffer.byteLength(text), text };
}
