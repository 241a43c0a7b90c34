// From where to where of a show or a video, to be cut as a video of its own.
import { useState } from 'preact/hooks';
import { clipLimits } from '../../../../stream/clips/clip-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { Button } from './button.tsx';
import { TextField } from './text-field.tsx';
import { playTime, readPlayTime } from './video-facts.ts';

/** In seconds from the beginning on. */
export interface Stretch {
  from: number;
  to: number;
}

const longestSeconds = clipLimits.stretchMsMax / 1_000;

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
  const [wrong, tell] = useState<string>();
  const submit = () => {
    const [begins, ends] = [readPlayTime(from), readPlayTime(to)];
    const isRight = begins !== undefined && ends !== undefined && begins < ends;
    if (!isRight) return tell(texts.clip_wrong);
    const isLong = ends - begins > longestSeconds;
    tell(isLong ? filled(texts.clip_long, { minutes: longestSeconds / 60 }) : undefined);
    if (!isLong) props.onCut({ from: begins, to: ends });
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
      <TextField label={texts.clip_to} value={to} onInput={setTo} maxLength={12} error={wrong} />
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
