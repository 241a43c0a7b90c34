// While the show is on: the last minute by one press, or from where to where of the show, as a video of its own.
import { useState } from 'preact/hooks';
import { useConsole, useTexts, useTimes } from '../console-parts.ts';
import { problemText } from '../problem-text.ts';
import { mediaAt } from '../recorded-moment.ts';
import type { ChannelLive, Report } from '../service-answers.ts';
import { useClip } from '../use-clip.ts';
import { Button } from './button.tsx';
import { type Stretch, StretchForm } from './stretch-form.tsx';

const lastSeconds = 60;

export function ClipLive({ id, show }: { id: number; show: ChannelLive['show'] }) {
  const { videos: texts } = useTexts();
  const { cut, isBusy } = useClip(id);
  const [isOpen, open] = useState(false);
  return (
    <div class="clip-live">
      <p class="clip-presses">
        <Button icon="cut" isBusy={isBusy} onClick={() => cut({ last_seconds: lastSeconds })}>
          {texts.clip_last}
        </Button>
        {show && (
          <Button kind="quiet" isOpen={isOpen} onClick={() => open(!isOpen)}>
            {texts.clip_stretch}
          </Button>
        )}
      </p>
      {show && isOpen && <ShowStretch key={show.id} {...{ id, show }} onMade={() => open(false)} />}
    </div>
  );
}

function ShowStretch(props: {
  id: number;
  show: NonNullable<ChannelLive['show']>;
  onMade(): void;
}) {
  const { session } = useConsole();
  const { videos: texts } = useTexts();
  const times = useTimes();
  const { id, show } = props;
  const { cut, isBusy } = useClip(id);
  const mediaOf = useMediaOf(id, show.id);
  const begin = times.instant(show.begin) ?? session.now();
  const on = Math.max(1, Math.floor((session.now() - begin) / 1_000));
  return (
    <StretchForm
      first={{ from: Math.max(0, on - lastSeconds), to: on }}
      hint={texts.clip_stretch_hint}
      isBusy={isBusy}
      onCut={async (stretch) => {
        const media = await mediaOf(stretch);
        if (media && (await cut({ show: show.id, ...media }))) props.onMade();
      }}
    />
  );
}

/** Where a stretch by the clock of the show is in its media, which stands still while an encoder is away. */
function useMediaOf(id: number, showId: number) {
  const { api, toasts } = useConsole();
  const texts = useTexts();
  return async ({ from, to }: Stretch) => {
    const path = `/v1/activities/${id}/report?show=${showId}`;
    const { value, problem } = await api.get<Report>(path);
    if (problem) {
      toasts.failed(problemText(problem, texts));
      return undefined;
    }
    const anchors = value.shows[0]?.anchors ?? [];
    const mediaMs = (second: number) => mediaAt(anchors, 1_000 * second) ?? 1_000 * second;
    return { from_ms: Math.round(mediaMs(from)), to_ms: Math.round(mediaMs(to)) };
  };
}
