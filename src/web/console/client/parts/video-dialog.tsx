// One video over the list: its player, a clip of it, its captions, who may watch, and each of its files with why one failed and another try.
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { jobProblemText, problemWithoutForm } from '../problem-text.ts';
import type { Access, ManagedVideo, PlayLink, VideoFile } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { AccessView } from '../views/access-view.tsx';
import { Button } from './button.tsx';
import { ClipForm } from './clip-form.tsx';
import { Dialog } from './dialog.tsx';
import { ProblemWords } from './problem-words.tsx';
import { VideoCaptions } from './video-captions.tsx';
import { sizeText } from './video-facts.ts';

/** While files are made, how far they have come is looked at so often. */
const filesEveryMs = 5_000;

export function VideoDialog(props: { video: ManagedVideo; onClose(): void; onChanged(): void }) {
  const path = `/manage/v1/videos/${props.video.id}`;
  const answered = useAnswer<ManagedVideo>(path, { everyMs: filesEveryMs });
  const video = answered.value ?? props.video;
  const { id, name } = video;
  const player = useRef<HTMLIFrameElement>(null);
  return (
    <Dialog title={name} onClose={props.onClose}>
      <iframe
        ref={player}
        class="video-frame"
        src={useOwnPlayer(id)}
        title={name}
        allow="fullscreen; autoplay; picture-in-picture"
      />
      <ClipForm
        video={video}
        player={player}
        onMade={() => {
          props.onChanged();
          // What is said of it stands beside the list.
          props.onClose();
        }}
      />
      <VideoCaptions video={video} />
      <AccessView thing={path} isVideo />
      <Files
        video={video}
        onRetried={(retried) => {
          answered.set(retried);
          props.onChanged();
        }}
      />
    </Dialog>
  );
}

/** The player of the embed page, behind its door where not everybody may watch; undefined until that is known. */
function useOwnPlayer(id: number): string | undefined {
  const { api } = useConsole();
  const path = `/manage/v1/videos/${id}`;
  const { value: access } = useAnswer<Access>(`${path}/access`);
  const [link, show] = useState<string>();
  const isOpen = access?.kind === 'open';
  useEffect(() => {
    if (!access || isOpen) return;
    void api.post<PlayLink>(`${path}/play-link`, { expires_in: 3_600 }).then(({ value }) => {
      if (value) show(new URL(value.embed_url).pathname + new URL(value.embed_url).search);
    });
  }, [access?.kind]);
  return isOpen ? `/embed/videos/${id}` : link;
}

function Files(props: { video: ManagedVideo; onRetried(video: ManagedVideo): void }) {
  const { videos: texts } = useTexts();
  return (
    <section class="video-files" aria-label={texts.files}>
      <h3>{texts.files}</h3>
      <ul>
        {props.video.files.map((file) => (
          <FileLine key={file.file} file={file} {...props} />
        ))}
      </ul>
    </section>
  );
}

function FileLine(props: {
  file: VideoFile;
  video: ManagedVideo;
  onRetried(video: ManagedVideo): void;
}) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  const times = useTimes();
  const [isBusy, work] = useState(false);
  const { file, state, problem, size } = props.file;
  const retry = async () => {
    work(true);
    const path = `/manage/v1/videos/${props.video.id}/retry`;
    const { value, problem: failed } = await api.post<ManagedVideo>(path, { file });
    work(false);
    if (value) props.onRetried(value);
    else toasts.failed(problemWithoutForm(failed, texts));
  };
  return (
    <li>
      <span class="file-name">{texts.videos.file_names[file]}</span>
      <span class="soft">{size > 0 && sizeText(size, times)}</span>
      <span class="pill" data-files={state === 'ready' || state === 'failed' ? state : 'working'}>
        <span class="dot" />
        {texts.videos.file_states[state]}
      </span>
      {state === 'failed' && (
        <Button isSmall isBusy={isBusy} onClick={retry}>
          {texts.common.retry}
        </Button>
      )}
      {problem !== '' && state !== 'ready' && (
        <p class="file-problem soft small-text">
          <ProblemWords said={jobProblemText(problem, texts)} />
        </p>
      )}
    </li>
  );
}
