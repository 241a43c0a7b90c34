// One channel of many, found by its name.
import { useId, useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts } from '../console-parts.ts';
import type { ChannelList } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { Skeleton } from './skeleton.tsx';
import { TextField } from './text-field.tsx';

/** As many as one looks over; further ones are found by their name. */
const shownMax = 8;

export function ChannelChoice(props: {
  hint: string;
  value: number | undefined;
  onChoose(id: number): void;
}) {
  const { channels: texts } = useTexts();
  const name = useId();
  const [q, type] = useState('');
  const query = new URLSearchParams({ q });
  const { value } = useAnswer<ChannelList>(
    `/manage/v1/channels${q.trim() === '' ? '' : `?${query}`}`,
  );
  const found = value?.channels.slice(0, shownMax);
  return (
    <div class="channel-choice">
      <TextField label={texts.search} hint={props.hint} value={q} onInput={type} isFocused />
      <fieldset class="choices" aria-busy={!found}>
        <legend class="unseen">{texts.title}</legend>
        {found ? (
          found.map((channel) => (
            <label key={channel.id} class="choice">
              <input
                type="radio"
                name={name}
                checked={channel.id === props.value}
                onChange={() => props.onChoose(channel.id)}
              />
              <span dir="auto">{channel.name}</span>
            </label>
          ))
        ) : (
          <Skeleton width={20} />
        )}
        {found?.length === 0 && <p class="soft">{filled(texts.empty_search, { q })}</p>}
      </fieldset>
    </div>
  );
}
