// From where to where of a show or a video, to be cut as a video of its own.
import { useState } from 'preact/hooks';
import { useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { TextField } from './text-field.tsx';
import { playTime, readPlayTime } from './video-facts.ts';

/** In seconds from the beginning on. */
export interface Stretch {
  from: number;
  to: number;
}

export function StretchForm(props: {
  first: Stretch;
  /** Where the player is; undefined where there is none to look at. */
  here?: () => number;
  hint?: string;
  isBusy: boolean;
  onCut(stretch: Stretch): void;
}) {
  const { videos: texts } = useTexts();
  const { first, here } = props;
  const [from, setFrom] = useState(playTime(first.from));
  const [to, setTo] = useState(playTime(first.to));
  const [isWrong, tell] = useState(false);
  const submit = () => {
    const [begins, ends] = [readPlayTime(from), readPlayTime(to)];
    const isRight = begins !== undefined && ends !== undefined && begins < ends;
    tell(!isRight);
    if (isRight) props.onCut({ from: begins, to: ends });
  };
  return (
    <form
      class="clip-form"
      aria-label={texts.clip}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <TextField label={texts.clip_from} value={from} onInput={setFrom} maxLength={12} />
      {here && (
        <Button isSmall onClick={() => setFrom(playTime(here()))}>
          {texts.clip_from_here}
        </Button>
      )}
      <TextField
        label={texts.clip_to}
        value={to}
        onInput={setTo}
        maxLength={12}
        error={isWrong ? texts.clip_wrong : undefined}
      />
      {here && (
        <Button isSmall onClick={() => setTo(playTime(here()))}>
          {texts.clip_to_here}
        </Button>
      )}
      <Button kind="main" type="submit" icon="cut" isBusy={props.isBusy}>
        {texts.clip}
      </Button>
      {props.hint && <p class="soft small-text">{props.hint}</p>}
    </form>
  );
}
