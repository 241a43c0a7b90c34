// What `/metrics` tells of the service beyond its requests: who watches, what is refused, what is left undone.
import type { Presence } from './audience/presence/presence.ts';
import { type LabelledCount, labelled, type Metrics } from './base/lib/metrics.ts';
import type { Peers } from './base/peers/peers.ts';
import type { People } from './library/people/people.ts';
import type { WebhookSender } from './library/webhooks/webhook-sender.ts';
import type { Readiness } from './readiness.ts';
import type { River } from './river.ts';

/** Whoever collects measures does so every few seconds. */
const rtmpKnownMs = 15_000;

/** Parts keep plain numbers; they are read here, when somebody asks. */
export function measure(
  metrics: Metrics,
  {
    presence,
    river,
    peers,
    people,
    sender,
    readiness,
  }: {
    presence: Presence;
    river: River;
    peers: Pick<Peers, 'refusals'>;
    people: People;
    sender: WebhookSender;
    readiness: Pick<Readiness, 'look'>;
  },
): void {
  metrics.gauge(
    'footlight_ready',
    'Whether the service can do its work, as /readyz says.',
    async () => ((await readiness.look({ rtmpKnownMs })).ready ? 1 : 0),
  );
  measureRefusals(metrics, peers);
  metrics.counter(
    'footlight_password_runs_total',
    'Passwords that were hashed or compared, each some 30 ms of a core.',
    () => people.parts.passwords.runs,
  );
  measureAudience(metrics, presence);
  measureMedia(metrics, river);
  measureWebhooks(metrics, sender);
  measureDisk(metrics, river);
  measureChannels(metrics, { presence, river });
}

/** One counter for every kind of peer, so that one alert sees them all. */
function measureRefusals({ counter }: Metrics, { refusals }: Pick<Peers, 'refusals'>): void {
  counter('footlight_refusals_total', 'What was refused or cut, by kind of peer and reason.', () =>
    [...refusals.counts].flatMap(([kind, counts]) =>
      Object.entries(counts).map(([reason, count]) => ({ labels: { kind, reason }, count })),
    ),
  );
}

function measureAudience({ gauge, counter }: Metrics, presence: Presence): void {
  const now = () => presence.counts();
  gauge('footlight_audience_connections', 'Pages that are connected.', () =>
    presence.connectionCount(),
  );
  gauge(
    'footlight_viewers',
    'Viewers who are there, direct players too; who watches two channels counts twice.',
    () => now().viewers,
  );
  gauge(
    'footlight_direct_players',
    'Players without a page of ours that are counted.',
    () => now().directPlayers,
  );
  counter(
    'footlight_sessions_opened_total',
    'Watch sessions that were opened.',
    () => now().sessionsOpened,
  );
  counter('footlight_reports_total', 'Reports of pages on their playing.', () => now().reports);
  counter(
    'footlight_chat_messages_total',
    'Chat messages that were written.',
    () => now().chatMessages,
  );
  counter(
    'footlight_flushed_rows_total',
    'Rows of sessions and visitors that were credited.',
    () => now().flushedRows,
  );
  counter(
    'footlight_flush_failures_total',
    'Flushes of the audience that failed; their rows are kept and tried again.',
    () => now().flushFailures,
  );
  gauge(
    'footlight_flush_lag_seconds',
    'How long the oldest of what viewers have come to waits to be written; a flush is every 2 seconds.',
    () => now().flushLagMs / 1_000,
  );
}

function measureMedia({ gauge, counter }: Metrics, river: River): void {
  const now = () => river.counts();
  gauge('footlight_live_channels', 'Channels on air, or about to be again.', () =>
    river.liveCount(),
  );
  gauge(
    'footlight_push_memory_bytes',
    'What the media of all pushes holds in memory, and of those that have just ended.',
    () => river.memoryBytes(),
  );
  gauge(
    'footlight_ladders',
    'Pushes whose pictures are encoded in smaller sizes now.',
    () => now().ladders.ladders,
  );
  gauge(
    'footlight_ladder_cores',
    'Processors that these are reckoned to take, of LADDER_CORES.',
    () => now().ladders.cores,
  );
  counter(
    'footlight_ladder_cpu_seconds_total',
    'Processor time that their processes have taken.',
    () => now().ladders.cpuMs / 1_000,
  );
  counter(
    'footlight_ladder_missing_parts_total',
    'Parts of smaller sizes that were not made in time.',
    () => now().ladders.missing,
  );
  counter('footlight_ladder_troubles_total', 'What befell ladders, by kind.', () => {
    const { restarts, behind, refused } = now().ladders;
    return labelled('kind', { restarts, behind, refused });
  });
  counter(
    'footlight_rtmp_slow_players_total',
    'Times that an RTMP player fell behind and was left out until a key frame.',
    () => now().rtmp.slowPlayers,
  );
  gauge(
    'footlight_rtmp_unread_bytes',
    'What RTMP players have left unread, those who have left little not counted.',
    () => now().rtmp.unreadBytes,
  );
  counter('footlight_jobs_total', 'Tries of jobs, by how they ended.', () =>
    labelled('outcome', { ...now().jobs }),
  );
  counter(
    'footlight_recordings_shed_total',
    'Recordings that ended before their push: the disk was full, too slow or failed.',
    () => now().recordingsShed,
  );
  gauge(
    'footlight_spool_segments',
    'Segments of recordings that wait on the disk for S3; 0 where recordings stay there.',
    () => now().spool?.waitingSegments ?? 0,
  );
  gauge('footlight_bucket_away', 'Whether S3 did not take what it was last given.', () =>
    now().spool?.isAway ? 1 : 0,
  );
}

function measureWebhooks({ gauge, counter }: Metrics, sender: WebhookSender): void {
  const { disabled: _, ...tries } = sender.counts;
  counter(
    'footlight_webhook_tries_total',
    'Tries of deliveries of webhooks, by what came of them.',
    () =>
      Object.keys(tries).map((result) => ({
        labels: { result },
        count: sender.counts[result as keyof typeof tries],
      })),
  );
  counter(
    'footlight_webhooks_disabled_total',
    'Webhooks that were disabled because of what their target did.',
    () => sender.counts.disabled,
  );
  gauge(
    'footlight_webhooks',
    'Webhooks on the database: enabled, or why they are sent nothing.',
    () => labelled('state', sender.standing()?.counts ?? {}),
  );
  gauge(
    'footlight_webhook_pending',
    'Deliveries that wait, of all enabled webhooks on the database.',
    () => sender.standing()?.pending,
  );
  gauge('footlight_webhook_pending_age_seconds', 'How long the oldest of them waits.', () =>
    seconds(sender.standing()?.pendingAgeMs),
  );
  gauge(
    'footlight_webhooks_waiting_seconds',
    'For how long the webhook has been due that waits longest for its next try; what rests after a failure is not due.',
    () => seconds(sender.standing()?.dueMs),
  );
}

function seconds(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : ms / 1_000;
}

function measureDisk({ gauge }: Metrics, river: River): void {
  gauge('footlight_disk_free_bytes', 'What the disk of the data folder has free.', () =>
    river.diskFreeBytes(),
  );
  gauge(
    'footlight_jobs_waiting_seconds',
    'For how long the job has been due that waits longest for its turn here.',
    async () => (await river.jobsWaitingMs()) / 1_000,
  );
}

/** Each is a series that whoever collects them keeps: of more channels at once their sums must do. */
const channelsTold = 200;

function measureChannels(
  { gauge }: Metrics,
  { presence, river }: { presence: Presence; river: River },
): void {
  const told = () => river.liveChannels().slice(0, channelsTold);
  gauge(
    'footlight_channel_bits_per_second',
    `What comes of a channel's push, of the last ten seconds; the ${channelsTold} that have been on longest.`,
    () => byChannel(told(), (channel_id) => bitsPerSecond(river.pushHere(channel_id))),
  );
  gauge('footlight_channel_viewers', 'Viewers who are at this node, of the same channels.', () =>
    byChannel(told(), (channel_id) => presence.roomNow(channel_id).viewersHere),
  );
  gauge('footlight_channels_untold', 'Channels on air beyond these.', () =>
    Math.max(0, river.liveCount() - channelsTold),
  );
}

function byChannel(
  channels: readonly number[],
  read: (channel_id: number) => number | undefined,
): LabelledCount[] {
  return channels.flatMap((channel_id) => {
    const count = read(channel_id);
    return count === undefined ? [] : [{ labels: { channel: String(channel_id) }, count }];
  });
}

/** Nothing before it is known; 0 while the push is cut and may come back. */
function bitsPerSecond(push: ReturnType<River['pushHere']>): number | undefined {
  if (!push) return undefined;
  if (!push.isConnected) return 0;
  const { videoKbps, audioKbps } = push.health;
  if (videoKbps === null && audioKbps === null) return undefined;
  return ((videoKbps ?? 0) + (audioKbps ?? 0)) * 1_000;
}
