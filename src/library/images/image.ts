// A picture that was uploaded for a channel's page: its address, and how it is answered.
import * as z from 'zod';
import type { ImageType } from './image-limits.ts';

/** What its address ends with, by type. */
export const endings: Record<ImageType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
};

export function imageAddress({ id, type }: { id: string; type: ImageType }): string {
  return `/images/${id}.${endings[type]}`;
}

/** Back from the last part of an address; undefined where none of ours is written so. */
export function imageNamed(name: string): { id: string; ending: string } | undefined {
  const [, id, ending] = /^([0-9A-Za-z]{22})\.(png|jpg|webp|gif)$/.exec(name) ?? [];
  return id && ending ? { id, ending } : undefined;
}

export const imageAnswer = z
  .object({
    address: z.string().meta({
      description: 'a path of this site, as it is written into a field of the viewing page',
    }),
    width: z.int().meta({ description: 'in pixels' }),
    height: z.int().meta({ description: 'in pixels' }),
  })
  .meta({ title: 'UploadedImage' });
