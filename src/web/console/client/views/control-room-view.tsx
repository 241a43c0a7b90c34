// The control room of a channel: the picture, who watches, what the encoder sends, the chat.

import { useTexts } from '../console-parts.ts';
import { ChatPanel } from '../parts/chat-panel.tsx';
import { ClipLive } from '../parts/clip-live.tsx';
import { ConnectCard } from '../parts/connect-card.tsx';
import { Monitor } from '../parts/monitor.tsx';
import { PresentCard } from '../parts/present-card.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { PushCard } from '../parts/push-card.tsx';
import { ShowNumbers } from '../parts/show-numbers.tsx';
import { ViewersCurve } from '../parts/viewers-curve.tsx';
import type { Channel, ChannelLive } from '../service-answers.ts';
import { type Answered, useAnswer } from '../use-answer.ts';

/** The service's answer is small, and made for this. */
const liveEveryMs = 2_000;

export function ControlRoomView({ id, answered }: { id: number; answered: Answered<Channel> }) {
  const { control: texts } = useTexts();
  const {
    value: live,
    problem,
    reload,
  } = useAnswer<ChannelLive>(`/manage/v1/channels/${id}/live`, { everyMs: liveEveryMs });
  const channel = answered.value;
  if (!live && problem) return <ProblemState problem={problem} onRetry={reload} />;
  const isOnAir = live?.on_air ?? false;
  const isOff = live !== undefined && !isOnAir;
  const connect = channel && (
    <ConnectCard channel={channel} isWaiting={isOff} onChanged={answered.set} />
  );
  return (
    <div class="control-room" aria-busy={!live}>
      <div class="control-main">
        {isOff ? connect : <Monitor id={id} isOnAir={isOnAir} />}
        {isOnAir && <ClipLive id={id} show={live?.show ?? null} />}
        <section class="card panel" aria-label={texts.numbers}>
          <ShowNumbers live={live} />
          {!isOff && <ViewersCurve live={live} />}
        </section>
        {!isOff && <PushCard live={live} />}
        <PresentCard id={id} />
        {isOnAir && connect}
      </div>
      <ChatPanel id={id} />
    </div>
  );
}
