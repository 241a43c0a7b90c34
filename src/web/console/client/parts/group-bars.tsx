// Groups of viewers as bars, the largest first; each is a link that narrows the report to it.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import type { ShowGroup } from '../service-answers.ts';
import { Button } from './button.tsx';
import { Skeleton } from './skeleton.tsx';

/** As many as one reads at a glance. */
const shownMax = 7;

export function GroupBars(props: {
  title: string;
  /** Undefined until they are known. */
  groups: ShowGroup[] | undefined;
  chosen: string | undefined;
  hrefOf(name: string): string;
}) {
  const { shows: texts } = useTexts();
  const { title, groups, chosen, hrefOf } = props;
  const [isAll, showAll] = useState(false);
  const shown = isAll ? groups : groups?.slice(0, shownMax);
  const most = Math.max(1, ...(groups ?? []).map(({ viewers }) => viewers));
  return (
    <section class="card panel groups" aria-label={title} aria-busy={!groups}>
      <h2>{title}</h2>
      {!groups && <Skeleton width={18} />}
      {groups?.length === 0 && <p class="soft">–</p>}
      <ul class="bars">
        {shown?.map((group) => (
          <li key={group.name}>
            <Bar {...{ group, most, hrefOf }} isChosen={group.name === chosen} />
          </li>
        ))}
      </ul>
      {groups && groups.length > shownMax && !isAll && (
        <Button kind="quiet" isSmall onClick={() => showAll(true)}>
          {filled(texts.all_of, { count: groups.length })}
        </Button>
      )}
    </section>
  );
}

function Bar(props: {
  group: ShowGroup;
  most: number;
  isChosen: boolean;
  hrefOf(name: string): string;
}) {
  const { shows: texts } = useTexts();
  const times = useTimes();
  const { name, viewers } = props.group;
  const inside = (
    <>
      <span class="bar-fill" style={{ width: `${(viewers / props.most) * 100}%` }} />
      <span class="bar-name" dir="auto">
        {name || texts.unknown}
      </span>
      <span class="number">{times.count(viewers)}</span>
    </>
  );
  // The service has no word for those of whom nothing is known.
  if (name === '') return <span class="bar">{inside}</span>;
  return (
    <a
      class="bar"
      href={props.hrefOf(name)}
      data-stays
      aria-current={props.isChosen ? 'true' : undefined}
    >
      {inside}
    </a>
  );
}
