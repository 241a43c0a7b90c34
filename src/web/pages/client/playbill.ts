// The name and the start of the show on a page that is open while the channel's owner changes them.
import type { Playbill } from '../../../audience/protocol/messages.ts';
import type { WatchData } from '../page-data.ts';
import { type Countdown, startText } from './countdown.ts';
import { announce, filled, findMaybe } from './page-elements.ts';
import type { Stage } from './stage.ts';

/** Shows one after the other; what has not changed is left as it is. */
export function playbillShower(
  { title, start_time, language, texts }: WatchData,
  { stage, countdown }: { stage: Stage; countdown: Countdown },
): (playbill: Playbill) => void {
  let shown: Playbill = { name: title, start_time };
  return (playbill) => {
    const before = shown;
    shown = playbill;
    if (playbill.name !== before.name) showName(playbill.name);
    if (playbill.start_time === before.start_time) return;
    countdown.startsAt(playbill.start_time);
    stage.startsAt(playbill.start_time);
    if (playbill.start_time !== null)
      announce(filled(texts.new_start, { time: startText(playbill.start_time, language) }));
  };
}

function showName(name: string): void {
  document.title = name;
  const title = findMaybe('title');
  if (title) title.textContent = name;
}
