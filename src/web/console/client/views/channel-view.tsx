// One channel: its name and state, and its parts as tabs.

import { airState } from '../air-state.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import { type ChannelPlace, channelTabs, paths, videosAsked } from '../console-place.ts';
import { ButtonLink } from '../parts/button.tsx';
import { ChannelMenu } from '../parts/channel-menu.tsx';
import { ChannelName } from '../parts/channel-name.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import { StatePill } from '../parts/state-pill.tsx';
import { TabLinks } from '../parts/tab-links.tsx';
import { TimeShown } from '../parts/time-shown.tsx';
import { useTitle } from '../parts/view-head.tsx';
import type { Channel } from '../service-answers.ts';
import { type Answered, useAnswer } from '../use-answer.ts';
import { useNow } from '../use-now.ts';
import { AbsentView } from './absent-view.tsx';
import { AccessView } from './access-view.tsx';
import { AudienceView } from './audience-view.tsx';
import { ControlRoomView } from './control-room-view.tsx';
import { PageEditorView } from './page-editor-view.tsx';
import { ShowsView } from './shows-view.tsx';
import { ChannelVideosView } from './videos-view.tsx';
import { ViewerView } from './viewer-view.tsx';

/** Name and state change seldom, and an answer that is the same costs nothing. */
const channelEveryMs = 5_000;

export function ChannelView({ place }: { place: ChannelPlace }) {
  const { id, tab } = place;
  const { channel: texts } = useTexts();
  const answered = useAnswer<Channel>(`/v1/activities/${id}`, { everyMs: channelEveryMs });
  const { value: channel, problem, reload } = answered;
  useTitle(channel ? `${channel.name} · ${texts.tabs[tab]}` : texts.tabs[tab]);
  if (problem?.status === 404) return <AbsentView />;
  if (problem && !channel) return <ProblemState problem={problem} onRetry={reload} isView />;
  return (
    <>
      <ChannelHead answered={answered} />
      <TabLinks
        label={texts.tabs_name}
        tabs={channelTabs.map((one) => ({
          href: paths.channel(id, one),
          text: texts.tabs[one],
          isHere: one === tab,
        }))}
      />
      <ChannelPart place={place} answered={answered} />
    </>
  );
}

function ChannelPart(props: { place: ChannelPlace; answered: Answered<Channel> }) {
  const { place, answered } = props;
  const { id, tab } = place;
  if (tab === 'control') return <ControlRoomView id={id} answered={answered} />;
  if (tab === 'page') return <PageEditorView id={id} />;
  if (tab === 'access') return <AccessView thing={`/manage/v1/channels/${id}`} channel={id} />;
  if (tab === 'audience' && place.item !== undefined)
    return <ViewerView key={place.item} id={id} viewer={place.item} />;
  if (tab === 'audience') return <AudienceView place={place} />;
  if (tab === 'shows') return <ShowsView place={place} />;
  return <ChannelVideosView id={id} asked={videosAsked(new URLSearchParams(place.query))} />;
}

function ChannelHead({ answered }: { answered: Answered<Channel> }) {
  const { channel: texts, common } = useTexts();
  const channel = answered.value;
  return (
    <header class="channel-head">
      <div class="channel-title">
        {channel ? (
          <ChannelName channel={channel} onRenamed={answered.set} />
        ) : (
          <h1 tabIndex={-1} aria-busy="true">
            <span class="unseen">{common.loading}</span>
            <Skeleton width={20} />
          </h1>
        )}
        <p class="channel-facts">{channel && <ChannelState channel={channel} />}</p>
      </div>
      {channel && (
        <div class="view-actions">
          <CopyButton text={channel.watch_url.pc} label={texts.copy_link} hasWord />
          <ButtonLink href={channel.watch_url.pc} icon="open" away={common.open_new}>
            {texts.open_page}
          </ButtonLink>
          <ChannelMenu channel={channel} />
        </div>
      )}
    </header>
  );
}

function ChannelState({ channel }: { channel: Channel }) {
  const times = useTimes();
  const now = useNow(30_000);
  const startsAt = times.instant(channel.page.start_time);
  const state = airState(channel, { startsAt, now });
  return (
    <>
      <StatePill state={state} />
      {state === 'upcoming' && startsAt !== undefined && (
        <span class="soft">
          <TimeShown at={startsAt} now={now} isBoth /> ·{' '}
          <TimeShown at={startsAt} now={now} isRelative />
        </span>
      )}
    </>
  );
}
