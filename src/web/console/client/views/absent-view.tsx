// An address that names no view, or something that is not there.
import { useTexts } from '../console-parts.ts';
import { home } from '../console-place.ts';
import { ButtonLink } from '../parts/button.tsx';
import { useTitle } from '../parts/view-head.tsx';

export function AbsentView() {
  const { absent } = useTexts();
  useTitle(absent.title);
  return (
    <div class="empty">
      <h1 tabIndex={-1}>{absent.title}</h1>
      <p class="soft">{absent.more}</p>
      <ButtonLink href={home}>{absent.back}</ButtonLink>
    </div>
  );
}
