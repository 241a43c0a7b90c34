// Playlists of recordings: kept once made, made one after another, each once however many ask for it.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { busy } from '../../base/api/errors.ts';
import type { MediaCall, PlaylistText } from '../../base/api/media-answer.ts';
import { networkOf } from '../../base/lib/network.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import { FairQueue, type Waiter } from '../../base/turns/fair-queue.ts';
import { Share } from '../../base/turns/share.ts';
import { inTurns, nextTurn } from '../../base/turns/turn-slice.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import { MediaError } from '../formats/packet.ts';
import { segmentsIn } from '../recording/recording-index.ts';
import type { StoredFile, StoredRecording } from '../recording/stored-recording.ts';
import { playbackBounds, playbackLimits } from './playback-limits.ts';
import type { RecordingBook } from './playback-refusals.ts';
import { type IndexedSize, indexedSize, type RecordedSize, recordedSize } from './recorded-size.ts';
import { vodPlaylist } from './vod-playlist.ts';

/** Off the main thread. */
const gzipped = promisify<string, Buffer>(gzip);

/** A playlist, how much of its file it names, and what it is among the others of its recording. */
interface KeptPlaylist extends PlaylistText {
  readonly mediaBytes: number;
  readonly indexed: IndexedSize;
  /** Read when the list of all sizes is asked for: most players ask for it once, and others never. */
  size?: Promise<RecordedSize>;
}

export interface RecordedPlaylistsOptions {
  /** Places to wait for one. */
  waitingMax?: number;
  /** Whether limits by network do not hold for this one. */
  isAllowed?: (network: string) => boolean;
  refusals: RecordingBook;
}

/** Names of an index and of the file that it is of. */
export interface PlaylistFiles {
  index: string;
  file: string;
}

/** A playlist that somebody waits for. */
interface Making {
  /** Of the recording and of its index in it. */
  readonly path: string;
  readonly recording: StoredRecording;
  readonly names: PlaylistFiles;
  readonly made: PromiseWithResolvers<KeptPlaylist>;
  /** Whose turn may make it. */
  readonly networks: Set<string>;
  isBegun: boolean;
}

interface Place extends Waiter {
  making: Making;
}

/** One is made at a time, so that a crowd of them takes no more of a turn than one; networks take turns. */
export class RecordedPlaylists {
  private readonly options: RecordedPlaylistsOptions;
  private readonly share: Share;

  private readonly kept = new RecentMap<string, KeptPlaylist>({
    max: playbackLimits.playlistBytesMax,
    weigh: ({ text, gzip }) => text.length + gzip.length,
  });
  /** By path: those who ask meanwhile wait for the same. */
  private readonly making = new Map<string, Making>();
  private readonly queue = new FairQueue<Place>();
  private readonly work = new UntilEmpty({
    isEmpty: () => this.queue.size === 0,
    work: () => this.makeNext(),
  });

  constructor(options: RecordedPlaylistsOptions) {
    this.options = options;
    const { waitingMax: placesMax = playbackBounds.playlistsMax, isAllowed } = options;
    this.share = new Share({ placesMax, ...(isAllowed && { isAllowed }) });
  }

  async find(
    recording: StoredRecording,
    names: PlaylistFiles,
    by: Pick<MediaCall, 'address'>,
  ): Promise<KeptPlaylist> {
    return (await this.withMedia(recording, names, by)).made;
  }

  /** What a playlist is among the others of its recording. */
  async size(
    recording: StoredRecording,
    names: PlaylistFiles,
    by: Pick<MediaCall, 'address'>,
  ): Promise<RecordedSize> {
    const { made, media } = await this.withMedia(recording, names, by);
    made.size ??= recordedSize(made.indexed, media);
    const size = await made.size;
    // It may be read the next time.
    if (!size.codecs) delete made.size;
    return size;
  }

  /** The media it names must be there too: a playlist of nothing would be a lie. */
  private async withMedia(
    recording: StoredRecording,
    names: PlaylistFiles,
    by: Pick<MediaCall, 'address'>,
  ): Promise<{ made: KeptPlaylist; media: StoredFile }> {
    const path = `${recording.name}/${names.index}`;
    const media = await recording.find(names.file);
    const made = this.kept.get(path) ?? (await this.made({ path, recording, names }, by.address));
    if (media.size < made.mediaBytes) throw new MediaError('The file of the recording was cut');
    return { made, media };
  }

  private made(
    wanted: Pick<Making, 'path' | 'recording' | 'names'>,
    address: string,
  ): Promise<KeptPlaylist> {
    const { path } = wanted;
    const known = this.making.get(path);
    const making = known ?? newMaking(wanted);
    const network = networkOf(address);
    // A call for what others wait for has a place too: their line may be longer than its own.
    if (making.isBegun || making.networks.has(network)) return making.made.promise;
    const refusal = this.share.refusal(network);
    if (refusal && known) return known.made.promise;
    if (refusal) {
      const reason = refusal === 'full' ? 'playlists' : 'playlists_network';
      this.options.refusals.note(reason, network);
      throw busy('Too many playlists wait to be made');
    }
    this.share.take(network);
    making.networks.add(network);
    this.making.set(path, making);
    this.queue.add({ network, connection: address, making });
    this.work.begin();
    return making.made.promise;
  }

  private async makeNext(): Promise<void> {
    const place = this.queue.take();
    if (!place) return;
    this.share.leave(place.network);
    if (!place.making.isBegun) await this.make(place.making);
  }

  private async make(making: Making): Promise<void> {
    const { path, recording, names, made } = making;
    making.isBegun = true;
    try {
      const playlist = await makePlaylist(recording, names);
      this.kept.set(path, playlist);
      made.resolve(playlist);
    } catch (error) {
      made.reject(error);
    }
    this.making.delete(path);
  }
}

function newMaking(wanted: Pick<Making, 'path' | 'recording' | 'names'>): Making {
  const made = Promise.withResolvers<KeptPlaylist>();
  return { ...wanted, made, networks: new Set(), isBegun: false };
}

async function makePlaylist(
  recording: StoredRecording,
  { index, file }: PlaylistFiles,
): Promise<KeptPlaylist> {
  const segments = await inTurns(segmentsIn(await recording.text(index)));
  const last = segments.at(-1);
  if (!last) throw new MediaError('The index of the recording is empty');
  const text = await vodPlaylist(segments, file);
  // To hand over the text takes as long as to join it: each in a turn of its own.
  await nextTurn();
  const gzip = new Uint8Array(await gzipped(text));
  return { text, gzip, indexed: indexedSize(segments), mediaBytes: last.at + last.size };
}
