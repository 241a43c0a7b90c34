// Whether the disk has room: recordings and what is made of them must leave some for the database.
import { statfs } from 'node:fs/promises';

/** False also where the disk does not answer. */
export async function hasRoomFor(folder: string, bytes: number): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}
