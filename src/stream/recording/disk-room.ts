// Whether the disk has room: recordings and what is made of them must leave some for the database.
import { statfs } from 'node:fs/promises';
import type { Log } from '../../base/lib/log.ts';

export interface RoomWatch {
  /** As it was when last looked. */
  hasRoom(): boolean;
  stop(): void;
}

const lookEveryMs = 2_000;
/** At the very border a push would become many short videos. */
const roomAgainFactor = 1.1;

/** Looks again and again whether so much is free, and says when that changes. */
export async function watchRoom(given: {
  folder: string;
  freeBytesMin: number;
  log: Log;
}): Promise<RoomWatch> {
  const { folder, freeBytesMin, log } = given;
  let hasRoom = await hasRoomFor(folder, freeBytesMin);
  const look = async () => {
    const had = hasRoom;
    hasRoom = await hasRoomFor(folder, freeBytesMin * (had ? 1 : roomAgainFactor));
    if (had !== hasRoom)
      log.warn(
        hasRoom ? 'there is room for recordings again' : 'too little room: nothing is recorded',
      );
  };
  const timer = setInterval(look, lookEveryMs);
  return { hasRoom: () => hasRoom, stop: () => clearInterval(timer) };
}

/** False also where the disk does not answer. */
export async function hasRoomFor(folder: string, bytes: number): Promise<boolean> {
  const free = await freeBytes(folder);
  return free !== undefined && free >= bytes;
}

/** Undefined where the disk does not answer. */
export async function freeBytes(folder: string): Promise<number | undefined> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    return undefined;
  }
}
