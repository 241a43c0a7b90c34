// `footlight video captions`: the captions of a video, listed, added by a file, removed.
import { readPart } from '../../base/api/shape.ts';
import type { Steps } from '../../base/turns/stepped-work.ts';
import { labelField } from '../../library/captions/captions.ts';
import { captionsLimits } from '../../library/captions/captions-limits.ts';
import { captionsOf, removeCaptions, setCaptions } from '../../library/captions/captions-store.ts';
import { givenCaptions, languageIn } from '../../library/captions/given-captions.ts';
import { accountOfVideo, findVideo } from '../../library/videos/video-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';
import { UsageError } from '../parts/exit-codes.ts';
import { option, word } from '../parts/option.ts';
import { exact, file, something, whole } from '../parts/value-kinds.ts';

const { bytesMax } = captionsLimits;

export const videoCaptionsCommand: Command = command({
  name: 'video captions',
  audit: 'videos',
  sentence: 'The captions of a video; add some in a language, or remove them.',
  more: 'FILE is WebVTT, or SubRip where its name ends in .srt, in UTF-8. It takes the place of what there was in that language. What a browser would not show is refused, with its line.',
  words: { id: word(whole, 'the video id', 'Which video; video list says which there are.') },
  options: {
    add: option(file, 'Captions to add.'),
    language: option(something, 'In which language they are, as en or zh-Hant.'),
    label: option(exact, 'What viewers choose them by; without it the language in its own words.'),
    remove: option(something, 'Remove those in this language.'),
  },
  examples: [
    'video captions 311',
    'video captions 311 --add talk.vtt --language en',
    'video captions 311 --remove en',
  ],
  run: async ({ id: video_id, add, language, label, remove }, run) => {
    if ((add === undefined) !== (language === undefined))
      throw new UsageError('--add and --language must be given together');
    if (add !== undefined && remove !== undefined)
      throw new UsageError('--add and --remove are given one at a time');
    const made = add && language ? await madeOf(add, { language, label }) : undefined;
    const removed = remove && languageIn({ language: remove });
    const rows = await withStore(
      run,
      async (store) => {
        const owner = { account_id: await accountOfVideo(store, video_id), manager_id: 0 };
        await findVideo(store, video_id, owner);
        if (made) await store.perform(setCaptions, { video_id, owner, made });
        if (removed) await store.perform(removeCaptions, { video_id, owner, language: removed });
        return await captionsOf(store, video_id);
      },
      { isRead: !made && !removed, note: { target: { kind: 'video', id: video_id } } },
    );
    await run.out.all(rows, ['language', 'label', 'cues', 'bytes']);
  },
});

async function madeOf(path: string, said: { language: string; label: string | undefined }) {
  const { label } = readPart({ label: labelField }, { label: said.label });
  const language = languageIn(said);
  const source = Bun.file(path);
  if (source.size > bytesMax) throw new UsageError(`--add must be at most ${bytesMax} bytes`);
  const bytes = await source.bytes().catch((error: Error) => {
    throw new UsageError(`--add cannot be read: ${error.message}`);
  });
  const type = /\.srt$/i.test(path) ? 'application/x-subrip' : 'text/vtt';
  return atOnce(givenCaptions(bytes, { type, language, label }));
}

/** Nobody else waits for this thread. */
function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
