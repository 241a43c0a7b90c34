// From where to where of a video, typed or taken from where its player is, as a video of its own.
import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { clipLimits } from '../../../../stream/clips/clip-limits.ts';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import type { ManagedVideo } from '../service-answers.ts';
import { useClip } from '../use-clip.ts';
import { Button } from './button.tsx';
import { TextField } from './text-field.tsx';
import { playTime, readPlayTime } from './video-facts.ts';

const { stretchMsMax } = clipLimits;

export function ClipForm(props: {
  video: ManagedVideo;
  player: RefObject<HTMLIFrameElement | null>;
  onMade(): void;
}) {
  const { videos: texts } = useTexts();
  const { video, player } = props;
  const [from, setFrom] = useState('0:00');
  const [to, setTo] = useState(playTime(Math.min(60, video.duration)));
  const [wrong, tell] = useState<string>();
  const { cut, isBusy } = useClip(video.act_id);
  const submit = async () => {
    const [begins, ends] = [readPlayTime(from), readPlayTime(to)];
    const isRight = begins !== undefined && ends !== undefined && begins < ends;
    if (!isRight) return tell(texts.clip_wrong);
    const stretch = { from_ms: 1_000 * begins, to_ms: 1_000 * ends };
    const isLong = stretch.to_ms - stretch.from_ms > stretchMsMax;
    tell(isLong ? filled(texts.clip_long, { minutes: stretchMsMax / 60_000 }) : undefined);
    if (isLong) return;
    if (await cut({ video_id: video.id, ...stretch })) props.onMade();
  };
  const here = () => playTime(Math.floor(playedSeconds(player.current)));
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
      <Button isSmall onClick={() => setFrom(here())}>
        {texts.clip_from_here}
      </Button>
      <TextField label={texts.clip_to} value={to} onInput={setTo} maxLength={12} error={wrong} />
      <Button isSmall onClick={() => setTo(here())}>
        {texts.clip_to_here}
      </Button>
      <Button kind="main" type="submit" icon="cut" isBusy={isBusy}>
        {texts.clip}
      </Button>
    </form>
  );
}

/** The player is a page of ours, so it can be looked into. */
function playedSeconds(frame: HTMLIFrameElement | null): number {
  return frame?.contentDocument?.querySelector('video')?.currentTime ?? 0;
}
