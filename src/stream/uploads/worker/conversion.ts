// Makes H.264 and AAC of other codecs by the transcoder.
import { loadTranscoder } from '../../recording/worker/transcoder.ts';
import type { Conversion } from '../file-streams.ts';
import { convertPictures } from './convert-pictures.ts';
import { convertSound } from './convert-sound.ts';

export async function openConversion(memoryBytesMax: number): Promise<Conversion> {
  const av = await loadTranscoder();
  return {
    pictures: (media) => convertPictures(av, media, memoryBytesMax),
    sound: (media) => convertSound(av, media),
  };
}
