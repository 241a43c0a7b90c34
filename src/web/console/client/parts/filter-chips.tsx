// What the report is narrowed to, each with a way back.
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import { groupFilters, isWhole, minuteFilters, type ShowFilter, without } from '../show-filter.ts';
import type { ConsoleTexts } from '../texts/console-texts.ts';
import { lengthText } from '../times.ts';
import { ConsoleIcon } from './console-icon.tsx';

export function FilterChips(props: {
  filter: ShowFilter;
  /** How many minutes each of the report's is. */
  each: number;
  hrefOf(filter: ShowFilter): string;
}) {
  const { shows: texts } = useTexts();
  const { filter, each, hrefOf } = props;
  if (isWhole(filter)) return null;
  const names = [...groupFilters, ...minuteFilters].filter((name) => filter[name] !== undefined);
  return (
    <nav class="chips" aria-label={texts.filters}>
      <span class="soft small-text">{texts.filters}</span>
      {names.map((name) => {
        const said = chipText(texts, filter, { name, each });
        return (
          <a key={name} class="chip" href={hrefOf(without(filter, name))} data-stays>
            <span class="unseen">{filled(texts.filter_remove, { filter: said })}</span>
            <span aria-hidden="true">{said}</span>
            <ConsoleIcon name="close" />
          </a>
        );
      })}
      <a class="press quiet small" href={hrefOf({})} data-stays>
        {texts.filter_clear}
      </a>
    </nav>
  );
}

function chipText(
  texts: ConsoleTexts['shows'],
  filter: ShowFilter,
  { name, each }: { name: keyof ShowFilter; each: number },
): string {
  const value = filter[name];
  const shown = typeof value === 'number' ? lengthText(value * each * 60) : (value ?? '');
  const sentences = {
    place: texts.filter_place,
    device: texts.filter_device,
    browser: texts.filter_browser,
    source: texts.filter_source,
    came: texts.filter_came,
    left: texts.filter_left,
    seen: texts.filter_seen,
  };
  return filled(sentences[name], { value: shown });
}
