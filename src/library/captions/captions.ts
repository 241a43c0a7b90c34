// Captions of a video in one language: what they are called, where they lie, and how they are shown.
import * as z from 'zod';
import { text } from '../../base/api/fields.ts';
import { captionsLimits } from './captions-limits.ts';

/** Without their text. */
export interface CaptionsRow {
  language: string;
  label: string;
  /** How many cues there are. */
  cues: number;
  bytes: number;
}

export const labelField = text(
  'what viewers choose them by; absent: the language in its own words',
  { max: captionsLimits.labelCharactersMax, trim: true, isVisible: true, examples: ['English'] },
);

/** On this site, as a recording's other files; behind a pass where not everybody may watch. */
export function captionsPath(video_id: number, language: string): string {
  return `/recordings/${video_id}/captions/${language}.vtt`;
}

export const captionsAnswer = z
  .object({
    language: z.string().meta({ description: 'tag of the language' }),
    label: z.string().meta({ description: 'what viewers choose them by' }),
    cues: z.int().meta({ description: 'how many there are' }),
    bytes: z.int(),
    address: z.string().meta({
      description: 'where players get them; where not everybody may watch, only behind a pass',
    }),
  })
  .meta({ title: 'Captions' });

export function captionsView(
  video_id: number,
  { language, label, cues, bytes }: CaptionsRow,
  baseUrl: string,
): z.output<typeof captionsAnswer> {
  const address = baseUrl + captionsPath(video_id, language);
  return { language, label, cues, bytes, address };
}

export const captionsExample: z.output<typeof captionsAnswer> = {
  language: 'en',
  label: 'English',
  cues: 812,
  bytes: 61_204,
  address: 'https://live.example.com/recordings/311/captions/en.vtt',
};
