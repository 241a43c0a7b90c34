// A publisher's messages on their way to its publication: FLV off, pictures cleaned, tracks told once.
import { readAudioTag, readVideoTag, type Tag } from '../formats/flv.ts';
import { cleanPicture, videoTrackOf } from '../formats/h264.ts';
import {
  type AudioTrack,
  isSameTrack,
  MediaError,
  type Track,
  type VideoTrack,
} from '../formats/packet.ts';
import type { Publication } from '../live/live-stream.ts';
import { encoderWords } from './encoder-words.ts';
import { type Message, messageType } from './message.ts';
import { rejected } from './rtmp-command.ts';

export class Publishing {
  private readonly publication: Publication;

  private video: VideoTrack | undefined;
  private audio: AudioTrack | undefined;
  private hasEnded = false;
  private messages = 0;

  constructor(publication: Publication) {
    this.publication = publication;
  }

  /** Media that has come so far, whatever was in it. */
  get messageCount(): number {
    return this.messages;
  }

  /** Throws a Rejection with a sentence for the encoder. */
  take(message: Message): void {
    this.messages += 1;
    try {
      this.publication.arrived(message.body.length);
      this.read(message);
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      this.publication.refused(error);
      throw rejected(message.streamId, error.message);
    }
  }

  /** What it says is for players to show; what the stream is stands in the media itself. */
  takeData(message: Message): void {
    const words = encoderWords(message);
    if (words) this.publication.said(words);
  }

  end(how: 'ended' | 'cut'): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.publication.end(how);
  }

  private read({ type, timestamp, body }: Message): void {
    if (type === messageType.video) this.takeTag(readVideoTag(body, this.video), timestamp);
    if (type === messageType.audio) this.takeTag(readAudioTag(body, this.audio), timestamp);
  }

  private takeTag(tag: Tag, timestamp: number): void {
    if (tag?.what === 'track') this.takeTrack(tag.track);
    if (tag?.what === 'picture') this.takePicture(tag, timestamp);
    // Without its parameters nobody could decode it.
    if (tag?.what === 'sound' && this.audio) {
      this.publication.sound({ timestamp, bytes: tag.bytes });
    }
  }

  /** Encoders send the same parameters again and again. */
  private takeTrack(track: Track): void {
    if (isSameTrack(track.kind === 'video' ? this.video : this.audio, track)) return;
    if (track.kind === 'video') this.video = track;
    else this.audio = track;
    this.publication.track(track);
  }

  private takePicture(tag: { compositionMs: number; bytes: Uint8Array }, timestamp: number): void {
    const picture = this.video && cleanPicture(tag.bytes, this.video);
    if (!picture) return;
    // New parameters came inside the picture, which is the first that needs them.
    if (picture.record) this.takeTrack(videoTrackOf(picture.record));
    const { isKey, bytes } = picture;
    this.publication.picture({ timestamp, compositionMs: tag.compositionMs, isKey, bytes });
  }
}
