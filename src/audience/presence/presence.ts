// Presence joins the parts of the audience: pages connect, say hello, report what they play, and are told what happens.
import type { Store } from '../../base/db/sql.ts';
import { ofService } from '../../base/db/whose.ts';
import type { Log } from '../../base/lib/log.ts';
import { Asking } from '../../base/links/asking.ts';
import { noLinks, type Talking } from '../../base/links/links.ts';
import { type Nodes, soleNode } from '../../base/nodes/membership.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { inTurns } from '../../base/turns/turn-slice.ts';
import type { Show } from '../../stream/live/show.ts';
import { type ChatBounds, chatLimits } from '../chat/chat-limits.ts';
import type { ChatMessage } from '../chat/chat-message.ts';
import type { Connection } from '../connection/page-connection.ts';
import { PageTurns } from '../connection/page-turns.ts';
import { AudienceFlush } from '../counting/audience-flush.ts';
import { startLostSessions } from '../counting/lost-sessions.ts';
import { SessionEnds } from '../counting/session-ends.ts';
import { FollowedShows } from '../nodes/followed-shows.ts';
import { type RoomNewsHandlers, RoomTelling } from '../nodes/room-news.ts';
import {
  type AskedCurve,
  joinedCurves,
  type NotedCurve,
  SharedCurves,
} from '../nodes/shared-curves.ts';
import { SharedPace } from '../nodes/shared-pace.ts';
import { type PresentPage, SharedPresent } from '../nodes/shared-present.ts';
import { ViewerCensus } from '../nodes/viewer-census.ts';
import { DirectPlayers } from '../players/direct-players.ts';
import { closeCodes } from '../protocol/messages.ts';
import { type PageBounds, presenceLimits, type RoundTimes } from '../protocol/page-limits.ts';
import { readPageMessage } from '../protocol/page-message-reader.ts';
import { type PageBook, pageRefusals } from '../protocol/page-refusals.ts';
import { Doors, type UpgradeRequest } from '../rooms/doors.ts';
import type { Arrival } from '../rooms/entrance.ts';
import { presentHere } from '../rooms/present-here.ts';
import type { AskedAdmissions } from '../rooms/room-admission.ts';
import { Rooms } from '../rooms/rooms.ts';
import { authorsSignedWith } from '../viewers/author.ts';
import { rememberedDevices } from '../viewers/device.ts';
import type { Places } from '../viewers/place.ts';
import { PageMessageHandlers } from './page-message-handlers.ts';
import { leaveAll, sendElsewhere } from './page-move.ts';

export interface PresenceOptions extends PageBounds, ChatBounds {
  store: Store;
  /** Who may watch; absent: everybody. */
  admissions?: AskedAdmissions | undefined;
  /** The secret that signs tickets. */
  secret: string;
  /** Start of our addresses, where it is set: pages come from its host, too. */
  publicUrl: string;
  /** Whether players without a page of ours are counted. */
  countDirectPlayers: boolean;
  places: Places;
  peers: Pick<Peers, 'refusals' | 'isAllowed'>;
  /** The other nodes, and how this one talks with them. */
  nodes?: Pick<Nodes, 'run' | 'lately' | 'tellFlushed'>;
  links?: Talking;
  /** Other than the usual. */
  rounds?: Partial<RoundTimes>;
  now: () => number;
  log: Log;
}

export interface Presence {
  /** Decides on an upgrade request; the edge does the rest. */
  admit(request: UpgradeRequest): Connection | 'refused';
  socket: Bun.WebSocketHandler<Connection>;
  /** Gives the way to tell every page of a room. */
  attach(publish: (topic: string, text: string) => void): void;
  /** The show that is on, or none any more. */
  live(channel_id: number, show: Show | undefined): void;
  /** What the rows say of its show has changed: other nodes go by them. */
  showWritten(channel_id: number): void;
  /** The show goes on on another node. */
  moved(channel_id: number): void;
  /** A show that a killed service had, and when that was last known to be on. */
  wasLive(channel_id: number, show: Show, endAt: number): void;
  /** The recording of a show that is over, or of a part of it. */
  videoMade(channel_id: number, video_id: number): void;
  /** Undefined where they are not counted. */
  directPlayers: DirectPlayers | undefined;
  connectionCount(): number;
  /** What this service knows of a channel's room. */
  roomNow(channel_id: number): RoomNow;
  /** The same of several; of those that nobody watches here other nodes are asked how many do. */
  roomsNow(channel_ids: readonly number[]): Promise<(channel_id: number) => RoomNow>;
  /** The curve of a show over all nodes, up to now; undefined where nobody has noted one. */
  curveOf(asked: AskedCurve, whose: string): Promise<NotedCurve | undefined>;
  /** Who is in a channel's room, whichever node their pages are at; those who came last first. */
  presentIn(
    channel_id: number,
    page: { limit: number; offset: number; whose: string },
  ): Promise<PresentPage>;
  counts(): PresenceCounts;
  /** An operator has changed it through this service; other nodes are told, and changes by commands seen within seconds. */
  said(channel_id: number, message: ChatMessage): void;
  pinned(channel_id: number, message: ChatMessage | undefined): void;
  removed(channel_id: number, ids: readonly number[]): void;
  chatOpened(channel_id: number, open: boolean): void;
  chatSlowed(channel_id: number, slow_seconds: number): void;
  banned(channel_id: number, viewer_id: string): void;
  erased(channel_id: number, viewer_id: string): void;
  /** The channel: everybody is sent away from it. */
  deleted(channel_id: number): void;
  /** Its name, its page, or who may write: the database is looked at. */
  changed(channel_id: number): void;
  /** Who may watch has changed: of a channel, or with 0 of any; the room here is looked at. */
  lookAt(channel_id: number): void;
  /** Before a stop where other nodes are: sends every page to those, with all that it has come to written. */
  sendElsewhere(): Promise<void>;
  /** Closes every connection, so that pages come back later, and writes what they have come to. */
  stop(): Promise<void>;
}

/** What this service, which may be one of several, knows of a channel. */
export interface RoomNow {
  /** Whether a show is on, as far as this one knows. */
  isLive: boolean;
  /** Over all nodes, as far as this one knows; undefined where nobody has come here, and no node has told. */
  viewers: number | undefined;
  viewersHere: number;
}

/** Viewers and players now; the rest since the start. */
export interface PresenceCounts {
  /** With the direct players: they watch, too. */
  viewers: number;
  directPlayers: number;
  sessionsOpened: number;
  reports: number;
  chatMessages: number;
  flushedRows: number;
  flushFailures: number;
  /** How long the oldest of what is not written yet has waited. */
  flushLagMs: number;
}

/**
 * Of a service that is alone nobody knows, after a kill, until when it had flushed, and who was not seen for half a
 * minute cannot go on. So a row must be younger than that, less a beat and a page's way back.
 */
const aloneFlushMsMax = 10_000;

export function startPresence(options: PresenceOptions): Presence {
  const { now, log, store, peers } = options;
  const refusals = peers.refusals.book('page', pageRefusals);
  const times = { ...presenceLimits, ...chatLimits, ...options.rounds };
  const { links = noLinks, nodes = soleNode('') } = options;
  const { isAlone } = links;
  const othersFlushedUntil = () =>
    Math.min(...nodes.lately().map(({ flushed_until }) => flushed_until));
  const flush = new AudienceFlush({
    store,
    log,
    now,
    everyMs: times.flushEveryMs,
    ...(isAlone ? { everyMsMax: aloneFlushMsMax } : { othersFlushedUntil }),
    onErased: (channel_id, visitor) => rooms.find(channel_id)?.erase(visitor),
  });
  const onChange = flush.mark.bind(flush);
  nodes.tellFlushed(() => flush.flushedUntil);
  const heldBy = Number(nodes.run);
  const goesOnMs = presenceLimits.saidAgainMs;
  const otherRuns = () =>
    nodes.lately().map(({ run, flushed_until }) => {
      return { held_by: Number(run), flushed_until, goesOnMs };
    });
  const ends = new SessionEnds({ store, heldBy, log, everyMs: times.endsEveryMs });
  const onOver = ends.add;
  const isKnown = (channel_id: number, record_id: number) =>
    rooms.find(channel_id)?.has(record_id) ?? false;
  const lost = startLostSessions({ store, heldBy, isKnown, now, log });
  const edge: { publish(topic: string, text: string): void } = { publish: () => {} };
  const onArrival = (channel_id: number, arrival: Arrival) =>
    rooms.entrance(channel_id).arrive(arrival);
  const deviceOf = rememberedDevices();
  const authorOf = authorsSignedWith(options.secret);
  const doors = new Doors({ ...options, refusals, deviceOf, authorOf, onArrival });
  const publish = (topic: string, text: string) => edge.publish(topic, text);
  const { beatMs } = times;
  const pace = new SharedPace({ links, onUsed: (used) => rooms.used(used, now()) });
  const census = new ViewerCensus({
    links,
    channels: () => rooms.channels,
    viewersIn: (channel_id) => rooms.find(channel_id)?.viewerIds ?? [],
    onCount: (channel_id, count) => rooms.find(channel_id)?.counted(count, now()),
  });
  const shared = {
    onEntry: pace.entered.bind(pace),
    onWrote: pace.wrote.bind(pace),
    onViewer: census.note.bind(census),
  };
  const tellLive = (channel_id: number, show: Show | undefined, at: number) => {
    const room = rooms.find(channel_id);
    rooms.stages.live(channel_id, show, at, room?.shownCount);
    room?.publish({ type: 'live', live: show !== undefined });
  };
  const asking = new Asking(links);
  const curves = new SharedCurves({
    asking,
    noted: (asked) => rooms.stages.curveOf(asked, now()),
  });
  /** Of a show that another node has had: should that end, this one has it. */
  const joinCurve = async (asked: AskedCurve) => {
    const noted = await curves.elsewhere(asked, ofService()).catch(() => undefined);
    if (noted) rooms.stages.joinCurve(asked, noted);
  };
  const shows = new FollowedShows({ sql: store, onShow: tellLive });
  const lookAtShow = isAlone ? undefined : shows.look.bind(shows);
  const told = { publish, onChange, onOver, lookAtShow, ...shared };
  const rooms = new Rooms({ ...options, beatMs, refusals, authorOf, heldBy, otherRuns, ...told });
  const news = new RoomTelling({
    links,
    handlers: newsHandlers(rooms),
    onLost: () => rooms.refreshFromDatabase(),
  });
  const turns = new PageTurns({ peers, bounds: options, log });
  const onSaid = (channel_id: number, message: ChatMessage, network: string) =>
    news.tellOthers({ type: 'said', channel_id, message, network });
  const handlers = new PageMessageHandlers({ store, refusals, log, onChange, onSaid });
  const roomOf = rooms.find.bind(rooms);
  const directPlayers = options.countDirectPlayers
    ? new DirectPlayers({ ...options, refusals, deviceOf, roomOf, authorOf, onArrival, onChange })
    : undefined;
  const parts = {
    bounds: options,
    doors,
    rooms,
    turns,
    handlers,
    flush,
    directPlayers,
    refusals,
    now,
    log,
  };
  const roomNow = (channel_id: number): RoomNow => ({
    viewers: rooms.find(channel_id)?.shownCount,
    viewersHere: rooms.find(channel_id)?.viewerCount ?? 0,
    isLive: rooms.stages.find(channel_id)?.isLive ?? false,
  });
  const roomsNow: Presence['roomsNow'] = async (channel_ids) => {
    const isHere = (channel_id: number) => (rooms.find(channel_id)?.viewerCount ?? 0) > 0;
    const elsewhere = await census.elsewhere(channel_ids.filter((id) => !isHere(id)));
    return (channel_id) => {
      const room = roomNow(channel_id);
      return { ...room, viewers: elsewhere.get(channel_id) ?? room.viewers };
    };
  };
  const present = new SharedPresent({
    asking,
    here: presentHere({ roomOf, now }),
    countOf: async (channel_id) => (await roomsNow([channel_id]))(channel_id).viewers,
  });
  let isMoving = false;
  const { tellChatEveryMs, tellEveryMs, lookEveryMs, sweepEveryMs } = times;
  const rounds = [
    setInterval(() => rooms.tellChat(), tellChatEveryMs),
    setInterval(() => {
      census.round();
      shows.forget((channel_id) => rooms.find(channel_id) !== undefined, now());
      rooms.tellCounts();
    }, tellEveryMs),
    setInterval(() => rooms.refreshFromDatabase(), lookEveryMs),
    setInterval(sweeper(parts), sweepEveryMs),
  ];
  return {
    admit: (request) => doors.admit(request),
    socket: pageSocket(parts),
    attach: (publish) => {
      edge.publish = publish;
    },
    live: (channel_id, show) => {
      if (show) shows.begun(channel_id, show);
      else shows.ended(channel_id);
      tellLive(channel_id, show, now());
      if (show) void joinCurve({ channel_id, begin: show.begin });
    },
    showWritten: (channel_id) => news.tellOthers({ type: 'changed', channel_id }),
    moved: (channel_id) => {
      shows.moved(channel_id, now());
      rooms.look(channel_id);
    },
    wasLive: (channel_id, show, endAt) => rooms.stages.wasLive(channel_id, show, endAt),
    videoMade: (channel_id, id) => {
      rooms.stages.videoMade(channel_id, id, now());
      rooms.find(channel_id)?.publish({ type: 'video', id });
    },
    directPlayers,
    connectionCount: () => doors.count,
    roomNow,
    roomsNow,
    curveOf: async (asked, whose) => {
      const elsewhere = await curves.elsewhere(asked, whose);
      const noted = [rooms.stages.curveOf(asked, now()), elsewhere];
      return joinedCurves(noted.filter((one) => one !== undefined));
    },
    presentIn: (channel_id, page) => present.page(channel_id, page),
    counts: () => countsOf(parts),
    said: (channel_id, message) => news.tell({ type: 'said', channel_id, message, network: '' }),
    pinned: (channel_id, message) =>
      news.tell({ type: 'pinned', channel_id, message: message ?? null }),
    removed: (channel_id, ids) => news.tell({ type: 'removed', channel_id, ids }),
    chatOpened: (channel_id, open) => news.tell({ type: 'chat_open', channel_id, open }),
    chatSlowed: (channel_id, slow_seconds) =>
      news.tell({ type: 'chat_slow', channel_id, slow_seconds }),
    banned: (channel_id, viewer_id) => news.tell({ type: 'banned', channel_id, viewer_id }),
    erased: (channel_id, viewer_id) => news.tell({ type: 'erased', channel_id, viewer_id }),
    deleted: (channel_id) => news.tell({ type: 'deleted', channel_id }),
    changed: (channel_id) => news.tell({ type: 'changed', channel_id }),
    lookAt: (channel_id) =>
      channel_id === 0 ? rooms.refreshFromDatabase() : rooms.look(channel_id),
    sendElsewhere: () => {
      isMoving = true;
      return sendElsewhere(parts);
    },
    stop: async () => {
      for (const round of rounds) clearInterval(round);
      // The river ends its pushes meanwhile, and nobody is there to be told.
      edge.publish = () => {};
      // Those that had no time to go one after the other.
      if (isMoving) leaveAll(parts);
      doors.close(isMoving ? closeCodes.elsewhere : closeCodes.restart);
      directPlayers?.close();
      await turns.settled();
      await rooms.stop();
      rooms.leaveAll(now());
      await flush.stop();
      await Promise.all([ends.stop(), lost.stop()]);
    },
  };
}

/** What is done here with what was changed here, or on another node. */
function newsHandlers(rooms: Rooms): RoomNewsHandlers {
  return {
    said: ({ channel_id, message, network }) => {
      const chat = rooms.find(channel_id)?.chat;
      // It takes a place as if it had been written here: what waits to be told is one line of all nodes.
      chat?.tellLater(message, network === '' ? undefined : chat.pace.takePlace(network));
    },
    pinned: ({ channel_id, message }) => rooms.find(channel_id)?.chat.pin(message ?? undefined),
    removed: ({ channel_id, ids }) => rooms.find(channel_id)?.chat.removed(ids),
    chat_open: ({ channel_id, open }) => rooms.find(channel_id)?.chat.setOpen(open),
    chat_slow: ({ channel_id, slow_seconds }) => rooms.find(channel_id)?.chat.setSlow(slow_seconds),
    banned: ({ channel_id, viewer_id }) => rooms.find(channel_id)?.chat.ban(viewer_id),
    erased: ({ channel_id, viewer_id }) => rooms.erase(channel_id, viewer_id),
    deleted: ({ channel_id }) => void rooms.find(channel_id)?.shut(),
    changed: ({ channel_id }) => rooms.look(channel_id),
  };
}

interface Parts {
  bounds: PageBounds;
  doors: Doors;
  rooms: Rooms;
  turns: PageTurns;
  handlers: PageMessageHandlers;
  flush: AudienceFlush;
  directPlayers: DirectPlayers | undefined;
  refusals: PageBook;
  now: () => number;
  log: Log;
}

function countsOf({ rooms, handlers, flush, directPlayers }: Parts): PresenceCounts {
  return {
    viewers: rooms.viewerCount,
    directPlayers: directPlayers?.count ?? 0,
    sessionsOpened: rooms.openedCount,
    reports: handlers.reportCount,
    chatMessages: handlers.lineCount,
    flushedRows: flush.rowCount,
    flushFailures: flush.failureCount,
    flushLagMs: flush.lagMs,
  };
}

/** Lets the silent go. To let many go at once, as when a network fails, takes more than one turn. */
function sweeper({ doors, rooms, directPlayers, now }: Parts): () => Promise<void> {
  function* sweep(at: number) {
    yield* doors.sweep(at);
    // Before the rooms let the silent go: an RTMP player says nothing, and is heard by this.
    directPlayers?.sweep(at);
    yield* rooms.sweep(at);
  }
  let isSweeping = false;
  let lastAt = now();
  return async () => {
    const at = now();
    const isLate = at - lastAt > presenceLimits.sweepLateMs;
    lastAt = at;
    // We were held up, perhaps for as long as a silence: what was said meanwhile is still to be read.
    if (isLate || isSweeping) return;
    isSweeping = true;
    await inTurns(sweep(at)).finally(() => {
      isSweeping = false;
    });
  };
}

/** How Bun says why it has closed: `Received too big message`, `Received invalid opcode`. */
const isCutByBun = /^Received /;

/**
 * A page that breaks the protocol is cut without a goodbye, which it would not read. Bun then reads no more of what it
 * has sent, so of a thousand messages in one read the rest costs nothing.
 */
function pageSocket(parts: Parts): Bun.WebSocketHandler<Connection> {
  const { bounds, doors, rooms, turns, handlers, now, log } = parts;
  const touched = ({ data: connection }: { data: Connection }) => {
    if (!connection.touched(now(), bounds)) connection.cut('flood');
  };
  const hear = (connection: Connection, text: string, at: number) => {
    const message = readPageMessage(text);
    const { session } = connection;
    const room = session && rooms.find(session.channel_id);
    if (message?.type === 'hello') return doors.hello(connection, message);
    if (connection.isStranger) return connection.cut('hello');
    if (message && session && room)
      return handlers.hear(message, { connection, session, room, at });
  };
  const leave = (connection: Connection, at: number) => {
    const { session } = connection;
    const room = session && rooms.find(session.channel_id);
    if (session) room?.disconnect(session, { connection, at, how: 'closed' });
  };
  return {
    maxPayloadLength: presenceLimits.messageBytesMax,
    backpressureLimit: bounds.unreadBytesMax,
    closeOnBackpressureLimit: true,
    // A frozen page would answer them: silence is what decides, and that is ours to see.
    sendPings: false,
    idleTimeout: presenceLimits.idleSeconds,
    open(socket) {
      socket.data.opened(socket);
      doors.opened(socket.data);
    },
    message(socket, text) {
      const connection = socket.data;
      const at = now();
      if (!connection.heard(at, Buffer.byteLength(text), bounds) || typeof text !== 'string')
        return connection.cut('flood');
      // A character takes two bytes at most.
      const words = { bytes: 2 * text.length, hear: () => hear(connection, text, at) };
      if (!turns.hear(connection, words)) connection.cut('flood');
    },
    ping: touched,
    pong: touched,
    close(socket, _code, reason) {
      const connection = socket.data;
      const at = now();
      connection.closed(isCutByBun.test(reason) ? 'flood' : undefined);
      doors.left(connection);
      turns.end(connection, () => leave(connection, at));
    },
    error: (error) => log.error('an audience connection failed', { error }),
  };
}
