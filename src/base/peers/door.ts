// The door of a listening socket: the system gives it a connection, or drops the connection's first packet at no cost to us.
import type { Libc } from '../lib/libc.ts';
import { type DoorPlaces, doorProgram, type KeptOut, visitorProgram } from './door-program.ts';

/** Undefined where the system cannot. */
export function openDoor(libc: Libc, listening: number): Door | undefined {
  if (!libc.sharePort(listening)) return undefined;
  const full = libc.listenInVain(listening);
  if (full === undefined) return undefined;
  const door = new Door(libc, full);
  if (!door.leadTo(placesAtFirst.open)) {
    door.close();
    return undefined;
  }
  // Before that the system may have given it somebody, who would wait for ever.
  libc.turnAway(full);
  const lead = (port: number) => libc.steer(full, visitorProgram(placesAtFirst, port));
  // Where no visit can come, the first who are kept out fill it, and wait in vain.
  for (let left = visitsMax; left > 0 && libc.untakenOf(full) < untakenMax; left -= 1)
    libc.visit(full, lead);
  door.leadTo(placesAtFirst.open);
  return door;
}

const placesAtFirst: DoorPlaces = { open: 0, shut: 1 };

/** Then it is full: the system lets one more wait than was asked for. */
const untakenMax = 2;
const visitsMax = 8;

/** A program for which the system had no memory is given to it again. */
const againMs = 100;

/**
 * A filter on a socket that listens (SO_ATTACH_FILTER) would do the same, but newer systems take it for TCP from
 * nobody but an administrator. So a second socket listens on the port, from which nobody takes, and which is full. A
 * program chooses between the two: what it gives to the full one the system drops.
 */
export class Door {
  private readonly libc: Libc;
  /** The descriptor of the one that is full. */
  readonly full: number;

  private places = placesAtFirst;
  private keptOut: KeptOut | undefined;
  private again: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private lastDropped = 0;

  constructor(libc: Libc, full: number) {
    this.libc = libc;
    this.full = full;
  }

  /** Since it was opened; it counts in 32 bits. */
  get dropped(): number {
    if (!this.isClosed) this.lastDropped = this.libc.droppedOf(this.full);
    return this.lastDropped;
  }

  /** A connection that is let in goes to the socket at this place of those that listen on the port. */
  leadTo(open: number): boolean {
    this.places = { ...this.places, open };
    return this.steer();
  }

  /** Undefined lets everybody in. */
  keepOut(keptOut: KeptOut | undefined): void {
    this.keptOut = keptOut;
    this.steer();
  }

  /** Before the sockets that take connections: what comes goes to them from now on. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    clearTimeout(this.again);
    this.libc.close(this.full);
  }

  private steer(): boolean {
    if (this.isClosed) return false;
    clearTimeout(this.again);
    const isDone = this.libc.steer(this.full, doorProgram(this.places, this.keptOut));
    if (!isDone) this.again = setTimeout(() => this.steer(), againMs).unref();
    return isDone;
  }
}
