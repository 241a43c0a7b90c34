// What one viewer watched of each show, as strips: where a strip is filled, they were watching.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { ViewerVisits } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { useNow } from '../use-now.ts';
import { type Stretch, stripsOf } from '../visit-spans.ts';

export function VisitStrips({ id, visits }: { id: number; visits: ViewerVisits }) {
  const { viewer: texts } = useTexts();
  const times = useTimes();
  const now = useNow(10_000);
  return (
    <ol class="strips">
      {stripsOf(visits, (text) => times.instant(text) ?? now).map((strip) => {
        const { show, beginAt, lengthMs, watchedMs, stretches } = strip;
        const said = filled(texts.strip_said, {
          watched: lengthText(watchedMs / 1_000),
          length: lengthText(lengthMs / 1_000),
        });
        return (
          <li key={show} class="strip">
            <a href={paths.show(id, show)}>
              <time dateTime={new Date(beginAt).toISOString()}>{times.short(beginAt, now)}</time>
            </a>
            <span class="strip-track" role="img" aria-label={said}>
              {stretches.map((stretch) => (
                <Filled key={stretch.from} stretch={stretch} lengthMs={lengthMs} />
              ))}
            </span>
            <span class="soft small-text number">{said}</span>
          </li>
        );
      })}
    </ol>
  );
}

function Filled({ stretch, lengthMs }: { stretch: Stretch; lengthMs: number }) {
  const percent = (ms: number) => `${(ms / lengthMs) * 100}%`;
  const { from, to } = stretch;
  return (
    <span
      class="strip-fill"
      title={`${lengthText(from / 1_000)} – ${lengthText(to / 1_000)}`}
      style={{ left: percent(from), width: percent(to - from) }}
    />
  );
}
