// The door of the links: strangers who say they are nodes, few at once and for a short time, until they have proved it.
import { networkOf } from '../lib/network.ts';
import { Share } from '../turns/share.ts';
import type { Link, LinkSocket } from './link.ts';
import { type Handshake, type Proved, type ServingOptions, serving } from './link-handshake.ts';
import { linkLimits } from './link-limits.ts';
import type { LinkBook, LinkReason } from './link-refusals.ts';

/** What the door needs of a socket of the server; Bun's has it. */
export interface GuestSocket {
  /** Bytes that were sent, -1 where they wait, 0 where they were lost. */
  send(data: string | Uint8Array): number;
  terminate(): void;
}

export interface LinkDoorOptions extends ServingOptions {
  refusals: LinkBook;
  monotonicMs: () => number;
  /** A node that has proved who it is: its link from now on. */
  onProved(proved: Proved, socket: LinkSocket): Link;
}

/** The bytes around a message, TLS included. */
const frameBytesMax = 64;

/** One connection at the door, or the link that it has become. */
export class LinkGuest {
  readonly network: string;
  private readonly door: LinkDoor;

  private socket: GuestSocket | undefined;
  private handshake: Handshake | undefined;
  private link: Link | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private bytesTold = 0;

  constructor(network: string, door: LinkDoor, handshake: Handshake) {
    this.network = network;
    this.door = door;
    this.handshake = handshake;
  }

  /** All that it has sent as far as we were told, frames and all; rather too much than too little. */
  get toldBytes(): number {
    return this.bytesTold;
  }

  get isStranger(): boolean {
    return this.link === undefined;
  }

  opened(socket: GuestSocket): void {
    this.socket = socket;
    this.timer = setTimeout(() => this.refuse('late'), linkLimits.handshakeMs);
  }

  heard(data: string | Uint8Array): void {
    this.bytesTold +=
      (typeof data === 'string' ? Buffer.byteLength(data) : data.length) + frameBytesMax;
    if (this.link) {
      if (typeof data !== 'string') this.link.came(data);
      else this.link.end('words');
    } else if (typeof data === 'string') this.hearWords(data);
    else this.refuse('words');
  }

  /** Nobody sends these over a link. */
  touched(): void {
    this.bytesTold += 125 + frameBytesMax;
    if (this.link) this.link.end('words');
    else this.refuse('words');
  }

  drained(): void {
    this.link?.drained();
  }

  closed(): void {
    clearTimeout(this.timer);
    this.handshake = undefined;
    this.door.left(this);
    this.link?.end('closed');
  }

  /** By whoever sees that it sends what nobody is told of. */
  cut(_: 'flood'): void {
    if (this.link) this.link.end('flood');
    else this.refuse('words');
  }

  refuse(reason: LinkReason): void {
    if (!this.handshake) return;
    this.handshake = undefined;
    clearTimeout(this.timer);
    this.door.refused(this, reason);
    this.socket?.terminate();
  }

  private hearWords(text: string): void {
    const { handshake, socket } = this;
    if (!handshake || !socket) return;
    const step = handshake.hear(text);
    if ('refused' in step) this.refuse(step.refused);
    else if ('say' in step) socket.send(step.say);
    if ('proved' in step && step.proved) this.prove(step.proved, socket);
  }

  private prove(proved: Proved, socket: GuestSocket): void {
    this.handshake = undefined;
    clearTimeout(this.timer);
    this.door.left(this);
    this.link = this.door.proved(proved, {
      // What is lost here would end the link: what waits is bounded far below what the server takes.
      send: (bytes) => socket.send(bytes) > 0,
      terminate: () => socket.terminate(),
    });
  }
}

export class LinkDoor {
  private readonly options: LinkDoorOptions;

  private readonly places = new Share({ placesMax: linkLimits.strangersMax });
  /** In the order they came. */
  private readonly strangers = new Set<LinkGuest>();
  private isClosed = false;

  constructor(options: LinkDoorOptions) {
    this.options = options;
  }

  get strangerCount(): number {
    return this.strangers.size;
  }

  /** Undefined where the service is about to stop. Of a crowd the oldest makes room. */
  admit(address: string): LinkGuest | undefined {
    if (this.isClosed) return undefined;
    const network = networkOf(address);
    if (this.places.refusal(network) !== undefined) this.oldestOfMost(network)?.refuse('late');
    const guest = new LinkGuest(network, this, serving(this.options));
    this.strangers.add(guest);
    this.places.take(network);
    return guest;
  }

  left(guest: LinkGuest): void {
    if (this.strangers.delete(guest)) this.places.leave(guest.network);
  }

  refused(guest: LinkGuest, reason: LinkReason): void {
    this.left(guest);
    this.options.refusals.note(reason, guest.network);
  }

  proved(proved: Proved, socket: LinkSocket): Link {
    return this.options.onProved(proved, socket);
  }

  close(): void {
    this.isClosed = true;
    for (const guest of this.strangers) guest.refuse('late');
  }

  /** Of its own network, where that has a share; else of the one that has most. */
  private oldestOfMost(network: string): LinkGuest | undefined {
    const { places } = this;
    const whose = places.takenBy(network) > 1 ? network : places.greediest;
    return this.strangers.values().find((one) => one.network === whose);
  }
}
