// The captions of a video: which there are, a file for one more language, another in its place, taken along, removed.
import { useState } from 'preact/hooks';
import { captionsLimits } from '../../../../library/captions/captions-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import type { Problem } from '../api.ts';
import { languageOfFile, usualLabel } from '../captions-file.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { fieldProblem } from '../problem-text.ts';
import type { Captions, CaptionsList, ManagedVideo } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { type CaptionsChanges, type NamedCaptions, pathOf, useCaptions } from '../use-captions.ts';
import { AnswerList } from './answer-list.tsx';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { FileButton, FileDrop } from './file-button.tsx';
import { Form } from './form.tsx';
import { ProblemWords } from './problem-words.tsx';
import { TextField } from './text-field.tsx';
import { sizeText } from './video-facts.ts';

const fileTypes = '.vtt,.srt,text/vtt,application/x-subrip';

export function VideoCaptions({ video }: { video: ManagedVideo }) {
  const path = `/manage/v1/videos/${video.id}/captions`;
  const { captions: texts, common } = useTexts();
  const answered = useAnswer<CaptionsList>(path);
  const changes = useCaptions(path, answered.reload);
  const { problem, done, check, send } = changes;
  const [file, choose] = useState<File>();
  const take = (chosen: File) => choose(check(chosen) ? chosen : undefined);
  return (
    <section aria-label={texts.title}>
      <FileDrop class="video-captions" onFile={take}>
        <h3>{texts.title}</h3>
        <AnswerList
          answered={answered}
          isEmpty={({ captions }) => captions.length === 0}
          empty={<p class="soft">{texts.none}</p>}
        >
          {({ captions }) => (
            <ul>
              {captions.map((one) => (
                <CaptionsLine key={one.language} {...{ path, video, captions: one, changes }} />
              ))}
            </ul>
          )}
        </AnswerList>
        {problem && (
          <p class="field-error" role="alert">
            <ProblemWords said={problem} />
          </p>
        )}
        <p class="captions-done soft" role="status">
          {done?.text}
          {done?.undo && (
            <Button kind="quiet" isSmall onClick={done.undo}>
              {common.undo}
            </Button>
          )}
        </p>
        {file ? (
          <NewCaptions
            file={file}
            onCancel={() => choose(undefined)}
            onSend={async (as) => {
              const failed = await send(file, as, texts.added);
              if (!failed) choose(undefined);
              return failed;
            }}
          />
        ) : (
          <p class="captions-ways">
            <FileButton icon="upload" accept={fileTypes} onFile={take}>
              {texts.choose}
            </FileButton>
            <span class="soft small-text">{texts.drop}</span>
          </p>
        )}
      </FileDrop>
    </section>
  );
}

function CaptionsLine(props: {
  path: string;
  video: ManagedVideo;
  captions: Captions;
  changes: CaptionsChanges;
}) {
  const { captions: texts } = useTexts();
  const times = useTimes();
  const [isBusy, work] = useState(false);
  const { path, video, changes } = props;
  const { language, label, cues, bytes } = props.captions;
  const named = (action: string) => filled(texts.of, { action, label });
  const replace = async (file: File) => {
    if (!changes.check(file)) return;
    work(true);
    await changes.send(file, props.captions, texts.replaced);
    work(false);
  };
  const count = cues === 1 ? texts.one_cue : filled(texts.cues, { count: times.count(cues) });
  return (
    <li>
      <span class="captions-name">
        <bdi lang={language}>{label}</bdi> <span class="soft mono small-text">{language}</span>
      </span>
      <span class="soft small-text">
        {count} · {sizeText(bytes, times)}
      </span>
      <span class="captions-acts">
        <FileButton
          kind="quiet"
          accept={fileTypes}
          isBusy={isBusy}
          label={named(texts.replace)}
          onFile={replace}
        >
          {texts.replace}
        </FileButton>
        <a
          class="press quiet small"
          href={pathOf(path, language)}
          download={`${video.name.replace(/[\\/:*?"<>|]+/g, '-')}.${language}.vtt`}
          aria-label={named(texts.download)}
        >
          <ConsoleIcon name="download" />
        </a>
        <Button
          kind="quiet"
          isSmall
          icon="trash"
          label={named(texts.remove)}
          onClick={() => changes.remove(props.captions)}
        />
      </span>
    </li>
  );
}

/** In which language the file is, which its name often says, and what viewers choose it by. */
function NewCaptions(props: {
  file: File;
  onSend(as: NamedCaptions): Promise<Problem | undefined>;
  onCancel(): void;
}) {
  const texts = useTexts();
  const { captions: words } = texts;
  const { file, onSend, onCancel } = props;
  const [language, setLanguage] = useState(languageOfFile(file.name) ?? '');
  const [label, setLabel] = useState('');
  const [problem, fail] = useState<Problem>();
  const [isBusy, work] = useState(false);
  const submit = async () => {
    work(true);
    const failed = await onSend({ language: language.trim() || '-', label });
    work(false);
    fail(failed);
  };
  const wrong = (name: string) => fieldProblem(problem, name, texts);
  return (
    <Form label={filled(words.file, { name: file.name })} onSubmit={submit}>
      <p>
        <bdi>{file.name}</bdi>
      </p>
      <TextField
        label={words.language}
        value={language}
        onInput={setLanguage}
        hint={words.language_hint}
        error={wrong('language')}
        maxLength={captionsLimits.languageCharactersMax}
        isFocused
      />
      <TextField
        label={words.label}
        value={label}
        onInput={setLabel}
        placeholder={usualLabel(language)}
        error={wrong('label')}
        maxLength={captionsLimits.labelCharactersMax}
      />
      <div class="form-actions">
        <Button kind="main" type="submit" isBusy={isBusy}>
          {words.add}
        </Button>
        <Button onClick={onCancel}>{texts.common.cancel}</Button>
      </div>
    </Form>
  );
}
