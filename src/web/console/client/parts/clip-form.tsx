// A clip of a video: from where to where, typed or taken from where its player is.
import type { RefObject } from 'preact';
import type { ManagedVideo } from '../service-answers.ts';
import { useClip } from '../use-clip.ts';
import { StretchForm } from './stretch-form.tsx';

export function ClipForm(props: {
  video: ManagedVideo;
  player: RefObject<HTMLIFrameElement | null>;
  onMade(): void;
}) {
  const { video, player } = props;
  const { cut, isBusy } = useClip(video.act_id);
  return (
    <StretchForm
      first={{ from: 0, to: Math.min(60, video.duration) }}
      here={() => Math.floor(playedSeconds(player.current))}
      isBusy={isBusy}
      onCut={async ({ from, to }) => {
        const stretch = { from_ms: 1_000 * from, to_ms: 1_000 * to };
        if (await cut({ video_id: video.id, ...stretch })) props.onMade();
      }}
    />
  );
}

/** The player is a page of ours, so it can be looked into. */
function playedSeconds(frame: HTMLIFrameElement | null): number {
  return frame?.contentDocument?.querySelector('video')?.currentTime ?? 0;
}
