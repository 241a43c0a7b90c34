// The picture of the show as viewers see it, in the player of the watch page; whoever looks is not counted.
import { useTexts } from '../console-parts.ts';

export function Monitor({ id, isOnAir }: { id: number; isOnAir: boolean }) {
  const { control: texts } = useTexts();
  return (
    <section class="monitor" aria-label={texts.picture}>
      {isOnAir && (
        <iframe
          title={texts.picture}
          src={`/console/watch/${id}`}
          allow="autoplay; fullscreen; picture-in-picture"
        />
      )}
    </section>
  );
}
