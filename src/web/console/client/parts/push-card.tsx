// What the encoder sends, and what to change about it.
import type { ComponentChildren } from 'preact';
import { filled } from '../../../pages/client/page-elements.ts';
import { useTexts, useTimes } from '../console-parts.ts';
import type { ChannelLive, Push, PushAdvice } from '../service-answers.ts';
import { lengthText } from '../times.ts';
import { useNow } from '../use-now.ts';
import { ConsoleIcon } from './console-icon.tsx';
import { Skeleton } from './skeleton.tsx';

export function PushCard({ live }: { live: ChannelLive | undefined }) {
  const { control: texts } = useTexts();
  return (
    <section class="card panel push" aria-label={texts.push}>
      <header class="panel-head">
        <h2>{texts.push}</h2>
        {live?.push && live.advice.length === 0 && (
          <p class="well">
            <ConsoleIcon name="done" />
            {texts.all_well}
          </p>
        )}
      </header>
      {!live ? (
        <Skeleton width={30} />
      ) : live.push ? (
        <>
          <AdviceList advice={live.advice} />
          <PushFacts push={live.push} />
        </>
      ) : (
        <p class="soft">{live.on_air ? texts.push_elsewhere : texts.push_none}</p>
      )}
    </section>
  );
}

function AdviceList({ advice }: { advice: PushAdvice[] }) {
  const { advice: texts } = useTexts();
  const times = useTimes();
  return (
    <div class="advice" role="status">
      {advice.map(({ code, ...numbers }) => (
        <p key={code} class="advice-line">
          <ConsoleIcon name="warning" />
          <span>{filled(texts[code], shownNumbers(numbers, times))}</span>
        </p>
      ))}
    </div>
  );
}

function shownNumbers(
  numbers: Record<string, number | undefined>,
  times: ReturnType<typeof useTimes>,
) {
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, times.count(value ?? 0, 1)]));
}

function PushFacts({ push }: { push: Push }) {
  const { control: texts } = useTexts();
  const times = useTimes();
  const now = useNow(1_000);
  const { video, audio } = push;
  const since = times.instant(push.since);
  const seconds = (value: number | null | undefined) =>
    value === null || value === undefined
      ? '–'
      : filled(texts.seconds, { seconds: times.count(value, 1) });
  const rate = (video?.kbps ?? 0) + (audio?.kbps ?? 0);
  return (
    <dl class="facts-list">
      <Fact name={texts.video}>
        {video
          ? `${video.width}×${video.height}${video.fps === null ? '' : ` · ${filled(texts.frames, { frames: times.count(video.fps, 1) })}`}`
          : texts.no_video}
      </Fact>
      <Fact name={texts.audio}>
        {audio
          ? `${times.count(audio.sample_rate / 1000, 1)} kHz · ${audio.channels === 1 ? texts.mono : texts.stereo}`
          : texts.no_video}
      </Fact>
      <Fact name={texts.bit_rate}>{rate > 0 ? `${times.count(rate / 1000, 1)} Mbit/s` : '–'}</Fact>
      <Fact name={texts.key_frames}>{seconds(video?.key_frame_seconds)}</Fact>
      <Fact name={texts.behind}>{seconds(push.late_seconds)}</Fact>
      <Fact name={texts.cuts}>{times.count(push.cuts)}</Fact>
      <Fact name={texts.connected}>
        {since === undefined ? '–' : lengthText((now - since) / 1000)}
      </Fact>
      <Fact name={texts.encoder} isWide>
        {push.encoder || '–'}
      </Fact>
    </dl>
  );
}

function Fact(props: { name: string; children: ComponentChildren; isWide?: boolean }) {
  return (
    <div class={props.isWide ? 'fact wide' : 'fact'}>
      <dt>{props.name}</dt>
      <dd class="number">{props.children}</dd>
    </div>
  );
}
