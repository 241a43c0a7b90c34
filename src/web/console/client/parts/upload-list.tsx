// Uploads above the list of videos: how far each has come, pause and go on, and what became of it.
import { useEffect, useRef, useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { problemText, type Sentence } from '../problem-text.ts';
import type { Upload, UploadList } from '../service-answers.ts';
import type { ConsoleTexts } from '../texts/console-texts.ts';
import { uploadProblemText } from '../upload-problem-text.ts';
import { useAnswer } from '../use-answer.ts';
import { type SentVideo, uploadsPath } from '../video-uploads.ts';
import { Button } from './button.tsx';
import { ProblemWords } from './problem-words.tsx';
import { sizeText } from './video-facts.ts';

/** What other browsers send is looked at so often. */
const listEveryMs = 10_000;

/** `channel` undefined: of all. `onVideo`: there is a new one. */
export function Uploads(props: { channel: number | undefined; onVideo(): void }) {
  const { uploads } = useConsole();
  const { uploads: texts } = useTexts();
  const { channel, onVideo } = props;
  const query = channel === undefined ? '' : `?channel_id=${channel}`;
  const { value, reload } = useAnswer<UploadList>(uploadsPath + query, { everyMs: listEveryMs });
  const ours = uploads.sent.value.filter(
    ({ channel_id }) => channel === undefined || channel_id === channel,
  );
  const known = new Set(ours.map(({ id }) => id));
  const others = (value?.uploads ?? []).filter(
    ({ id, state }) => state !== 'done' && !known.has(id),
  );
  useChanges(ours.filter(({ state }) => state === 'done').length, onVideo);
  if (ours.length + others.length === 0) return null;
  return (
    <section class="card panel uploads" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ul>
        {ours.map((one) => (
          <SentLine key={one.key} sent={one} />
        ))}
        {others.map((one) => (
          <OtherLine key={one.id} upload={one} onRemoved={reload} />
        ))}
      </ul>
    </section>
  );
}

/** Told when the number has grown. */
function useChanges(count: number, onMore: () => void): void {
  const before = useRef(count);
  useEffect(() => {
    if (count > before.current) onMore();
    before.current = count;
  }, [count]);
}

function SentLine({ sent }: { sent: SentVideo }) {
  const { uploads } = useConsole();
  const { uploads: texts } = useTexts();
  const { key, state, name } = sent;
  const isOn = state === 'coming' || state === 'cut';
  return (
    <li class="upload" data-state={state}>
      <UploadName name={name} />
      <span class="upload-actions">
        {isOn && (
          <Button isSmall icon="pause" onClick={() => uploads.pause(key)}>
            {texts.pause}
          </Button>
        )}
        {(state === 'paused' || state === 'stopped') && (
          <Button isSmall icon="play" onClick={() => uploads.goOn(key)}>
            {texts.go_on}
          </Button>
        )}
        {state === 'done' || state === 'refused' ? (
          <Button isSmall kind="quiet" onClick={() => uploads.dismiss(key)}>
            {texts.dismiss}
          </Button>
        ) : (
          <Button isSmall kind="quiet" onClick={() => uploads.remove(key)}>
            {texts.remove}
          </Button>
        )}
      </span>
      <UploadProgress {...sent} />
      <p class="upload-told small-text" role="status">
        <SentText sent={sent} />
      </p>
    </li>
  );
}

function SentText({ sent }: { sent: SentVideo }) {
  const texts = useTexts();
  const times = useTimes();
  const { state, answer, refusal } = sent;
  const told = texts.uploads.states[state];
  if (state === 'refused' && answer)
    return <ProblemWords said={uploadProblemText(answer, texts)} />;
  if (state === 'stopped' && refusal) return <ProblemWords said={stoppedText(refusal, texts)} />;
  if (state === 'done' || state === 'reading') return <>{told}</>;
  const far = filled(texts.uploads.sent_of, {
    sent: sizeText(sent.sent, times),
    size: sizeText(sent.size, times),
  });
  const left = state === 'coming' ? leftText(sent, texts) : '';
  return <>{[told, far, left].filter(Boolean).join(' · ')}</>;
}

function stoppedText(
  { status, code, message }: NonNullable<SentVideo['refusal']>,
  texts: ConsoleTexts,
): Sentence {
  if (status === 401) return texts.uploads.sign_in;
  if (status === 413) return texts.uploads.too_large;
  const kind = status === 0 ? 'away' : 'refused';
  return problemText({ kind, status, code, message, fields: [], retrySeconds: 0 }, texts);
}

/** Before so much time nothing can be said. */
const guessAfterMs = 3_000;

/** How long it may still take, by how fast it went so far. */
function leftText({ sent, size, since }: SentVideo, { uploads: texts }: ConsoleTexts): string {
  const tookMs = performance.now() - since.at;
  const gone = sent - since.sent;
  if (tookMs < guessAfterMs || gone <= 0) return '';
  const minutes = ((size - sent) * tookMs) / gone / 60_000;
  return minutes < 1
    ? texts.left_seconds
    : filled(texts.left_minutes, { minutes: Math.ceil(minutes) });
}

/** Of another browser, or of before this page was loaded. */
function OtherLine({ upload, onRemoved }: { upload: Upload; onRemoved(): void }) {
  const { uploads } = useConsole();
  const texts = useTexts();
  const [isBusy, busy] = useState(false);
  const { id, name, size, offset, state } = upload;
  const remove = async () => {
    busy(true);
    await uploads.end(id);
    busy(false);
    onRemoved();
  };
  return (
    <li class="upload" data-state={state}>
      <UploadName name={name} />
      <span class="upload-actions">
        <Button isSmall kind="quiet" isBusy={isBusy} onClick={remove}>
          {texts.uploads.remove}
        </Button>
      </span>
      <UploadProgress name={name} state={state} sent={offset} size={size} />
      <p class="upload-told small-text">
        {state === 'refused' ? (
          <ProblemWords said={uploadProblemText(upload, texts)} />
        ) : state === 'reading' ? (
          texts.uploads.states.reading
        ) : (
          texts.uploads.elsewhere
        )}
      </p>
    </li>
  );
}

function UploadName({ name }: { name: string }) {
  return (
    <b class="upload-name" dir="auto">
      {name}
    </b>
  );
}

function UploadProgress({
  name,
  state,
  sent,
  size,
}: Pick<SentVideo, 'name' | 'state' | 'sent' | 'size'>) {
  if (state === 'done' || state === 'refused') return null;
  // Nobody knows how long reading takes.
  return state === 'reading' ? (
    <progress aria-label={name} />
  ) : (
    <progress aria-label={name} value={sent} max={size} />
  );
}
