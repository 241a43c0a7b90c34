// The curve of a show's viewers, which grows as the show goes on.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { areaPath, clockTicks, linePath, topOf } from '../minute-plot-shapes.ts';
import type { ChannelLive } from '../service-answers.ts';
import { PlotField, PlotHeights, PlotTicks } from './plot-frame.tsx';

export function ViewersCurve({ live }: { live: ChannelLive | undefined }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const begin = live?.show ? times.instant(live.show.begin) : undefined;
  const curve = live?.curve;
  if (!curve || begin === undefined || curve.viewers.length < 2)
    return (
      <figure class="curve" role="img" aria-label={texts.curve_empty}>
        <p class="soft small-text">{live ? texts.curve_empty : ''}</p>
      </figure>
    );
  const { step_seconds, viewers } = curve;
  const top = topOf(viewers);
  const lengthMs = viewers.length * step_seconds * 1000;
  const said = filled(texts.curve_said, {
    now: times.count(live.viewers ?? 0),
    peak: times.count(live.peak ?? 0),
  });
  return (
    <figure class="curve">
      <div class="minute-plot" data-look="tall">
        <PlotHeights top={top} />
        <div class="plot-field">
          <PlotField
            said={said}
            shapes={[
              { look: 'viewers-area', path: areaPath(viewers, top) },
              { look: 'viewers-line', path: linePath(viewers, top) },
            ]}
          />
        </div>
        <PlotTicks
          ticks={clockTicks({ begin, lengthMs }, ticksMax).map(({ time, at }) => ({
            at,
            text: times.minute(time),
          }))}
        />
      </div>
    </figure>
  );
}

const ticksMax = 6;
