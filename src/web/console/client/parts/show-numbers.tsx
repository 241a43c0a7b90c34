// The numbers of the show that is on: who watches, how many at most, for how long.
import type { ComponentChildren } from 'preact';
import { useTexts, useTimes } from '../console-parts.ts';
import type { ChannelLive } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { useNow } from '../use-now.ts';
import { MovingNumber } from './moving-number.tsx';
import { Skeleton } from './skeleton.tsx';

export function ShowNumbers({ live }: { live: ChannelLive | undefined }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const now = useNow(1_000);
  const begin = live?.show ? times.instant(live.show.begin) : undefined;
  const isOn = live?.on_air && begin !== undefined;
  return (
    <dl class="numbers">
      <Figure name={texts.viewers} isLoading={!live}>
        <MovingNumber value={live?.viewers} />
      </Figure>
      <Figure name={texts.peak} isLoading={!live}>
        <MovingNumber value={live?.peak} />
      </Figure>
      <Figure name={texts.on_air_for} isLoading={!live}>
        <span class="number">{isOn ? lengthText((now - begin) / 1000) : '–'}</span>
      </Figure>
    </dl>
  );
}

function Figure(props: { name: string; isLoading: boolean; children: ComponentChildren }) {
  return (
    <div class="figure">
      <dt>{props.name}</dt>
      <dd>{props.isLoading ? <Skeleton width={4} /> : props.children}</dd>
    </div>
  );
}
