// The script of a channel's live page: its parts made, and joined to the page's connection.
import type { Refusal } from '../../../audience/protocol/messages.ts';
import type { WatchData } from '../page-data.ts';
import { AudienceConnection } from './audience-connection.ts';
import { Chat } from './chat.ts';
import { startControls } from './controls.ts';
import { Countdown } from './countdown.ts';
import { keepPass } from './kept-pass.ts';
import { keptText } from './kept-text.ts';
import { find, findMaybe, hideNotStarted, readPageData, showMessage } from './page-elements.ts';
import { followPageLife } from './page-life.ts';
import { playbillShower } from './playbill.ts';
import { Player } from './player.ts';
import { startSeekBar } from './seek-bar.ts';
import { serviceClock } from './service-clock.ts';
import { hearService, type ToldParts } from './service-message-handlers.ts';
import { startShare } from './share-dialog.ts';
import { followShape } from './shown-shape.ts';
import { Stage } from './stage.ts';
import { startTyping } from './typing.ts';
import { ViewerCount } from './viewer-count.ts';
import { viewerTicket } from './viewer-ticket.ts';
import { WatchReports } from './watch-reports.ts';

const data = readPageData<WatchData>();
const { texts } = data;
const media = find('video');
const clock = serviceClock(data.now);

await opened();
await start();

/** A browser may make a page ready for somebody who never opens it. */
async function opened(): Promise<void> {
  if (!('prerendering' in document && document.prerendering)) return;
  await new Promise((resolve) => document.addEventListener('prerenderingchange', resolve));
}

async function start(): Promise<void> {
  const player = new Player(media, () => controls.show());
  const controls = startControls(player, texts);
  startSeekBar(player, texts);
  followShape(player);
  const viewers = new ViewerCount(data);
  const stage = new Stage(data, { player, clock, onState: () => viewers.show() });
  const countdown = new Countdown(data, clock);
  const showPlaybill = playbillShower(data, { stage, countdown });
  hideNotStarted();
  keepPass();
  // Countdown, chat and recording are there for those who can play no stream, too.
  find('unsupported').hidden = player.canPlayStreams;
  // Robots are shown the page, and are nobody.
  if (data.ticket !== '')
    join({ player, stage, showPlaybill, viewers, ticket: await viewerTicket(data) });
}

/** What is there before the page is connected. */
interface Joined extends Pick<ToldParts, 'stage' | 'showPlaybill' | 'viewers'> {
  player: Player;
  ticket: string;
}

function join({ player, ticket, ...joined }: Joined): void {
  const connection = new AudienceConnection({
    url: new URL('/audience', location.href).href.replace(/^http/, 'ws'),
    ticket,
    instance: newInstance(),
    memory: keptText('tab', `footlight_resume_${data.channel_id}`),
    reportsToRepeat: () => reports.reportsToRepeat(),
    isWanted: () => document.visibilityState === 'visible' || !media.paused,
    onMessage: (message) => hearService(message, parts),
    onLost: (reason) => {
      reports.lost();
      chat?.lost(reason === 'full' ? texts.full : texts.connection_lost);
    },
    onCrowdedOut: () => {
      reports.lost();
      chat?.lost(texts.crowded_out);
    },
    onBanned: () => {
      reports.lost();
      chat?.keptOut();
      standEmpty(player, texts.banned);
    },
    // Player, chat and recording begin as for anybody who comes.
    onLetIn: () => location.reload(),
    onOver: (reason) => over(reason, { player, chat }),
  });
  const send: AudienceConnection['send'] = (message) => connection.send(message);
  const chat = data.is_embed ? undefined : new Chat(data, send, clock);
  if (!data.is_embed) {
    startShare({
      url: data.share_url,
      media,
      videoUrl: () => ownAddress(findMaybe('watch-video')?.href ?? ''),
      shared: (how) => send({ type: 'share', how }),
      texts,
    });
    startTyping();
  }
  const reports = new WatchReports({ player, send });
  const parts: ToldParts = { ...joined, chat, reports };
  followPageLife(connection, reports);
  // A hidden page may have been given up while it played nothing.
  media.addEventListener('playing', () => connection.wake());
  connection.connect();
}

function over(
  reason: Refusal | 'taken_over',
  { player, chat }: { player: Player; chat: Chat | undefined },
): void {
  if (reason === 'ticket' && reloadOnce()) return;
  if (reason === 'no_pass') {
    standEmpty(player, texts.no_pass);
    // To the door, which says what is wanted; not all at once.
    setTimeout(() => location.reload(), Math.random() * toDoorWithinMs);
    return;
  }
  if (reason === 'gone') standEmpty(player, texts.gone);
  else chat?.lost(reason === 'taken_over' ? texts.taken_over : texts.reload);
}

/** Everybody who watches may have to go. */
const toDoorWithinMs = 3_000;

/** There is nothing to play; the sentence stands in the place of the picture. */
function standEmpty(player: Player, sentence: string): void {
  player.clear();
  find('controls').hidden = true;
  showMessage(sentence);
}

/** A page loaded anew gets a new ticket; one that is refused again at once would load for ever. */
const reloadEveryMs = 3_600_000;

function reloadOnce(): boolean {
  const kept = keptText('tab', 'footlight_reloaded_at');
  const now = Date.now();
  if (now - Number(kept.read() ?? 0) < reloadEveryMs) return false;
  kept.keep(String(now));
  // Where nothing can be kept, nothing would stop it.
  if (kept.read() === undefined) return false;
  location.reload();
  return true;
}

/** By the name that the service has for others, whatever this viewer came by. */
function ownAddress(address: string): string {
  return new URL(new URL(address, location.href).pathname, data.share_url).href;
}

/** `crypto.randomUUID` is missing over plain HTTP. */
function newInstance(): string {
  return crypto.getRandomValues(new Uint32Array(3)).join('-');
}
