// Where media lies behind a pass.
import { type CaptionsRow, captionsPath } from '../../library/captions/captions.ts';
import type { CaptionTrack } from './page-data.ts';

/** What lies on another site, or nowhere, is not behind a pass of ours. */
export function mediaAddress(mediaPath: string, address: string): string {
  return address.startsWith('/recordings/') ? mediaPath + address : address;
}

/** The captions of a video, as its page loads them. */
export function captionTracks(
  mediaPath: string,
  video_id: number,
  captions: readonly CaptionsRow[],
): CaptionTrack[] {
  return captions.map(({ language, label }) => {
    const address = mediaAddress(mediaPath, captionsPath(video_id, language));
    return { language, label, address };
  });
}
