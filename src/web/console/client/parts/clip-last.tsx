// One press while the show is on: the last minute as a video of its own.
import { useTexts } from '../console-parts.ts';
import { useClip } from '../use-clip.ts';
import { Button } from './button.tsx';

const lastSeconds = 60;

export function ClipLast({ id }: { id: number }) {
  const { videos: texts } = useTexts();
  const { cut, isBusy } = useClip(id);
  return (
    <p class="clip-last">
      <Button icon="cut" isBusy={isBusy} onClick={() => cut({ last_seconds: lastSeconds })}>
        {texts.clip_last}
      </Button>
    </p>
  );
}
