// Who is here now: those who came last, and how many more there are.
import { useState } from 'preact/hooks';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { paths } from '../console-place.ts';
import type { Present, PresentViewer } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';
import { useKept } from '../use-kept.ts';
import { type SilenceKind, useSilence } from '../use-silence.ts';
import { Button } from './button.tsx';
import { ConsoleIcon } from './console-icon.tsx';
import { Menu, type MenuItem } from './menu.tsx';
import { ProblemState } from './problem-state.tsx';
import { Skeleton } from './skeleton.tsx';

const presentEveryMs = 5_000;
/** As many as one looks at, and as many as one asks for; the audience's own view lists all. */
const shownMax = 12;
const shownWholeMax = 100;

export function PresentCard({ id }: { id: number }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const [isWhole, showWhole] = useState(false);
  const path = `/manage/v1/channels/${id}/present?perPage=${isWhole ? shownWholeMax : shownMax}`;
  const { value: newest, problem, reload } = useAnswer<Present>(path, { everyMs: presentEveryMs });
  const value = useKept(newest, id);
  const others = value ? value.meta.total - value.viewers.length : 0;
  return (
    <section class="card panel" aria-label={texts.here} aria-busy={!value && !problem}>
      <header class="panel-head">
        <h2>{texts.here}</h2>
        {value && <span class="tab-count">{times.count(value.meta.total)}</span>}
      </header>
      {!value && problem ? (
        <ProblemState problem={problem} onRetry={reload} />
      ) : !value ? (
        <Skeleton width={24} />
      ) : value.viewers.length === 0 ? (
        <p class="soft">{texts.here_empty}</p>
      ) : (
        <ul class="present">
          {value.viewers.map((viewer) => (
            <ViewerShown key={viewer.user_id} id={id} viewer={viewer} onChanged={reload} />
          ))}
        </ul>
      )}
      {others > 0 && (
        <p>
          {isWhole ? (
            <a href={paths.channel(id, 'audience')}>
              {filled(texts.here_more_link, { count: times.count(others) })}
            </a>
          ) : (
            <Button kind="quiet" isSmall onClick={() => showWhole(true)}>
              {filled(texts.here_more, { count: times.count(others) })}
            </Button>
          )}
        </p>
      )}
    </section>
  );
}

interface ViewerProps {
  id: number;
  viewer: PresentViewer;
  /** They are let less, or more, than before. */
  onChanged(): void;
}

function ViewerShown(props: ViewerProps) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const { user_id, nick, addr, device, browser, since, playing, muted } = props.viewer;
  const at = times.instant(since);
  const facts = [
    addr,
    [device, browser].filter(Boolean).join(' · '),
    at === undefined ? '' : filled(texts.here_since, { time: times.minute(at) }),
  ];
  return (
    <li class="present-viewer">
      <span class="present-dot" data-playing={playing} title={playing ? texts.plays : texts.idle}>
        <span class="unseen">{playing ? texts.plays : texts.idle}</span>
      </span>
      <span class="present-name">
        <a href={paths.viewer(props.id, user_id)} dir="auto">
          {nick || texts.guest}
        </a>
        {muted && <span class="tag">{texts.is_muted}</span>}
      </span>
      <ViewerMenu {...props} />
      <span class="soft small-text">{facts.filter(Boolean).join(' · ')}</span>
    </li>
  );
}

function ViewerMenu({ id, viewer, onChanged }: ViewerProps) {
  const { control: texts, chat, viewer: words } = useTexts();
  const { user_id, nick, muted } = viewer;
  const silence = useSilence({ id, viewer_id: user_id, nick, onChanged });
  const item = (kind: SilenceKind): MenuItem => ({
    text: chat[kind],
    icon: kind,
    onChoose: () => silence(kind, kind),
  });
  const items: MenuItem[] = [
    muted
      ? { text: words.unmute, icon: 'mute', onChoose: () => silence('lift', 'mute') }
      : item('mute'),
    { ...item('ban'), isDanger: true },
  ];
  return (
    <Menu
      label={filled(texts.here_actions, { nick: nick || texts.guest })}
      groups={[{ items }]}
      isQuiet
    >
      <ConsoleIcon name="more" />
    </Menu>
  );
}
