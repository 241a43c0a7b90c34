// The large numbers of a show's report.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import type { ShowReport } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { MovingNumber } from './moving-number.tsx';
import { Skeleton } from './skeleton.tsx';

export type ShowFigures = Pick<ShowReport, 'peak' | 'average' | 'uv' | 'pv' | 'watch_seconds'>;

/** Beyond this the minutes say nothing. */
const hoursOnlySeconds = 100 * 3_600;

export function ReportNumbers({ figures }: { figures: ShowFigures | undefined }) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const together = (seconds: number) =>
    seconds < hoursOnlySeconds
      ? lengthText(seconds)
      : filled(texts.hours, { hours: times.count(seconds / 3_600) });
  const each = figures && figures.uv > 0 ? figures.watch_seconds / figures.uv : 0;
  const shown = [
    [texts.uv, figures && <MovingNumber value={figures.uv} />],
    [texts.peak, figures && <MovingNumber value={figures.peak} />],
    [texts.average, figures && <span class="number">{times.count(figures.average, 1)}</span>],
    [texts.stayed_average, figures && <span class="number">{lengthText(each)}</span>],
    [texts.watch_time, figures && <span class="number">{together(figures.watch_seconds)}</span>],
  ] as const;
  return (
    <dl class="card panel report-numbers" aria-busy={!figures}>
      {shown.map(([name, value]) => (
        <div key={name} class="figure">
          <dt>{name}</dt>
          <dd>{value ?? <Skeleton width={4} />}</dd>
        </div>
      ))}
    </dl>
  );
}
