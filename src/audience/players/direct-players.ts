// Players without a page of ours, such as VLC or a television: each is a session, by what it asks for or takes.
import type { MediaCall } from '../../base/api/media-answer.ts';
import { plainAddress } from '../../base/lib/ip-address.ts';
import { networkOf } from '../../base/lib/network.ts';
import { signatureOf } from '../../base/lib/signed-text.ts';
import type { Peers } from '../../base/peers/peers.ts';
import { Share } from '../../base/turns/share.ts';
import { lowLatencyName } from '../../stream/playback/live-files.ts';
import type { Connection } from '../connection/page-connection.ts';
import type { PresentSession } from '../counting/present.ts';
import type { PageBounds } from '../protocol/page-limits.ts';
import type { PageBook } from '../protocol/page-refusals.ts';
import type { Arrival } from '../rooms/entrance.ts';
import type { Room } from '../rooms/room.ts';
import type { AuthorOf } from '../viewers/author.ts';
import type { DeviceOf } from '../viewers/device.ts';
import { DirectPlayer } from './direct-player.ts';
import { OwnPages } from './own-pages.ts';

export interface DirectPlayersOptions extends Pick<PageBounds, 'directPlayersMax'> {
  /** The secret that viewer ids are made with. */
  secret: string;
  publicUrl: string;
  deviceOf: DeviceOf;
  peers: Pick<Peers, 'isAllowed'>;
  refusals: PageBook;
  now: () => number;
  roomOf(channel_id: number): Room | undefined;
  authorOf: AuthorOf;
  onArrival(channel_id: number, arrival: Arrival): void;
  /** The sums of the session have changed. */
  onChange(session: PresentSession): void;
}

/** The channel that is on air at a play address. */
type ChannelOf = (playId: string) => number | undefined;

/** What is known of a player when it comes. */
interface Newcomer {
  channel_id: number;
  ip: string;
  /** Tells players at one address apart. */
  program: string;
  device: string;
  browser: string;
  origin: 'hls' | 'rtmp';
  takenBytes: (() => number) | undefined;
}

/** Players differ within these characters; more would only take memory. */
const userAgentCharactersMax = 256;
/** 120 bits: nobody meets another by chance. */
const idCharacters = 20;

export class DirectPlayers {
  private readonly options: DirectPlayersOptions;
  private readonly ownPages: OwnPages;
  private readonly places: Share;

  /** By play address, client address and user agent; an RTMP connection by a name of its own. */
  private readonly players = new Map<string, DirectPlayer>();
  private isClosed = false;

  constructor(options: DirectPlayersOptions) {
    this.options = options;
    this.ownPages = new OwnPages(options.publicUrl);
    const { directPlayersMax: placesMax, peers } = options;
    this.places = new Share({ placesMax, isAllowed: peers.isAllowed });
  }

  get count(): number {
    return this.players.size;
  }

  /** Told of every request for a live playlist. Players ask every few seconds, so a known one costs one look-up. */
  asked(call: MediaCall, channelOf: ChannelOf): void {
    // A page counts by its own connection.
    if (this.ownPages.have(call.header('referer'), call.header('host'))) return;
    const userAgent = (call.header('user-agent') ?? '').slice(0, userAgentCharactersMax);
    const name = `${call.params['playId']} ${call.address} ${userAgent}`;
    const at = this.options.now();
    const known = this.players.get(name);
    if (known && !known.isOver(at)) known.heard(at);
    else this.meet(name, call, { userAgent, channelOf });
  }

  /** An RTMP connection plays; what is given back is to be called when it does no longer. */
  playing(given: { channel_id: number; ip: string; takenBytes(): number }): () => void {
    const name = `rtmp ${crypto.randomUUID()}`;
    const player = this.enter(name, {
      ...given,
      ip: plainAddress(given.ip) ?? given.ip,
      program: 'rtmp',
      device: 'Other',
      browser: 'RTMP player',
      origin: 'rtmp',
    });
    return () => {
      if (!player || this.isClosed) return;
      player.countTakenBytes(this.options.now());
      this.report(player);
      player.close();
      this.forget(name, player);
    };
  }

  /** Credits what was played, and forgets players that are gone. */
  sweep(at: number): void {
    for (const [name, player] of this.players) {
      player.countTakenBytes(at);
      if (player.isDue(at)) this.report(player);
      if (player.isOver(at)) this.forget(name, player);
    }
  }

  /** Credits what was played until now; nobody is heard any more. */
  close(): void {
    this.isClosed = true;
    const at = this.options.now();
    for (const player of this.players.values()) {
      player.countTakenBytes(at);
      this.report(player);
    }
  }

  private meet(
    name: string,
    call: MediaCall,
    { userAgent, channelOf }: { userAgent: string; channelOf: ChannelOf },
  ): void {
    const { params, address } = call;
    // Only our pages ask in this way: some browsers do not say who asks.
    if (call.query(lowLatencyName) !== null) return;
    const { device, browser, isBot } = this.options.deviceOf(userAgent);
    const channel_id = isBot ? undefined : channelOf(params['playId'] ?? '');
    if (channel_id === undefined) return;
    this.enter(name, {
      channel_id,
      ip: address,
      program: userAgent,
      device,
      browser,
      origin: 'hls',
      takenBytes: undefined,
    });
  }

  /** Undefined where it is not counted. */
  private enter(name: string, newcomer: Newcomer): DirectPlayer | undefined {
    const { now, authorOf, onArrival } = this.options;
    const { channel_id, ip, device, browser, origin } = newcomer;
    const network = networkOf(ip);
    this.forget(name, this.players.get(name));
    if (this.isClosed || !this.hasPlace(network)) return undefined;
    const at = now();
    const onClosed = (connection: Connection) => this.disconnect(connection);
    const player = new DirectPlayer({ ...newcomer, network, onClosed }, at);
    this.players.set(name, player);
    this.places.take(network);
    const viewer_id = this.viewerId(newcomer);
    onArrival(channel_id, {
      connection: player.connection,
      entry: { viewer_id, nick: '', phone: '', device, browser, origin, ip, at },
      namedAt: 0,
      author: authorOf(channel_id, viewer_id),
      // A player that comes back under its name goes on with its session.
      instance: name,
      resume: undefined,
      said: undefined,
    });
    return player;
  }

  private hasPlace(network: string): boolean {
    const refusal = this.places.refusal(network);
    if (refusal) this.options.refusals.note('players', network);
    return refusal === undefined;
  }

  /** The same whenever it comes back; without the secret no way leads from it to the address. */
  private viewerId({ channel_id, ip, program }: Newcomer): string {
    const text = `direct.${channel_id}.${ip}.${program}`;
    return `d-${signatureOf(this.options.secret, text, 'base64url').slice(0, idCharacters)}`;
  }

  private report(player: DirectPlayer): void {
    const { roomOf, onChange } = this.options;
    const session = player.report((channel_id) => roomOf(channel_id)?.stage.onAir);
    if (session) onChange(session);
  }

  private disconnect(connection: Connection): void {
    const { roomOf, now, refusals } = this.options;
    const { session, refusedFor, network } = connection;
    if (refusedFor) refusals.note(refusedFor, network);
    if (!session) return;
    roomOf(session.channel_id)?.disconnect(session, { connection, at: now(), how: 'closed' });
  }

  private forget(name: string, player: DirectPlayer | undefined): void {
    if (!player || this.players.get(name) !== player) return;
    this.players.delete(name);
    this.places.leave(player.network);
  }
}
