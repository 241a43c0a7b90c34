// The picture of a show's recording at one second: the video itself, which stands still there without a sound.
import { useEffect, useRef, useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { momentAt } from '../recorded-moment.ts';
import type { ShowReport, Video } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { useAnswer } from '../use-answer.ts';

export function MomentPicture({ show, second }: { show: ShowReport; second: number }) {
  const { shows: texts } = useTexts();
  const moment = momentAt(show, second * 1_000);
  const { value: video, problem } = useAnswer<Video>(moment && `/v1/videos/${moment.video}`);
  const time = lengthText(second);
  const none = show.end === '' ? texts.picture_on_air : texts.picture_none;
  return (
    <figure class="moment-picture">
      {!moment ? (
        <p>{none}</p>
      ) : problem && !video ? (
        <p>{texts.picture_failed}</p>
      ) : (
        video && (
          <StandingVideo
            key={video.id}
            path={new URL(video.video_url, location.href).pathname}
            second={moment.second}
            label={filled(texts.picture, { time })}
          />
        )
      )}
    </figure>
  );
}

/** Behind the last picture there is none. */
const beforeEndSeconds = 0.1;

function StandingVideo(props: { path: string; second: number; label: string }) {
  const { shows: texts } = useTexts();
  const { path, second, label } = props;
  const video = useRef<HTMLVideoElement>(null);
  const [state, become] = useState<'loads' | 'shows' | 'fails'>('loads');
  const seek = () => {
    const { current } = video;
    if (!current || !Number.isFinite(current.duration)) return;
    become('loads');
    current.currentTime = Math.max(0, Math.min(second, current.duration - beforeEndSeconds));
  };
  useEffect(seek, [second]);
  if (state === 'fails') return <p>{texts.picture_failed}</p>;
  return (
    <video
      ref={video}
      src={path}
      aria-label={label}
      data-state={state}
      preload="auto"
      muted
      playsInline
      onLoadedMetadata={seek}
      onSeeked={() => become('shows')}
      onError={() => become('fails')}
    />
  );
}
