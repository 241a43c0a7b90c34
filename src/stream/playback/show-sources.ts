// Which recordings the list of a show is made of, asked at any node: those of the node that has its push, and what others had before.
import { unavailable } from '../../base/api/errors.ts';
import type { Store } from '../../base/db/sql.ts';
import { ofAccount } from '../../base/db/whose.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { BeforeStint } from '../recording/named-source.ts';
import type { RecordedShow } from '../recording/recorded-shows.ts';
import { orNothing, sourceIndex } from '../recording/recording-folder.ts';
import type { RecordingStorage } from '../recording/recording-storage.ts';
import { placeOfRecording, recordingsBefore } from '../recording/recording-store.ts';
import type { StoredRecording } from '../recording/stored-recording.ts';

/** What the node that has its push knows of a show. */
export interface HeldShow extends RecordedShow {
  readonly node: string;
  /** Nothing follows on any node. */
  readonly isOver: boolean;
}

export interface ShowPart {
  readonly recording: StoredRecording;
  /** Nothing more is added to it. */
  readonly isWhole: boolean;
}

export interface ShowSource {
  /** In the names of its pieces: of another list it is another. */
  readonly name: string;
  /** In the order of their media. */
  readonly parts: readonly ShowPart[];
  readonly isOver: boolean;
}

export interface ShowSourcesOptions {
  store: Store;
  storage: RecordingStorage;
  /** Of a play address; undefined where nothing of a show is on or recorded. */
  held(playId: string, address: string): Promise<HeldShow | undefined> | HeldShow | undefined;
  /** Absent where nodes share no recordings. */
  beforeStint?: BeforeStint | undefined;
}

interface Before {
  parts: ShowPart[];
  digest: string;
}

/** Shows that have moved between nodes, of which what was before is kept: each is an index. */
const beforeMax = 100;

export class ShowSources {
  private readonly options: ShowSourcesOptions;

  /** By the name of what the holder has first. */
  private readonly before = new RecentMap<string, Promise<Before>>({ max: beforeMax });

  constructor(options: ShowSourcesOptions) {
    this.options = options;
  }

  async find(playId: string, address: string): Promise<ShowSource | undefined> {
    const held = await this.options.held(playId, address);
    const first = held?.recordings[0]?.recording;
    if (!held || first === undefined) return undefined;
    const before = await this.keptBefore(held, first);
    const own = held.recordings.map(({ recording, isWhole }) => ({
      recording: this.recordingOf(recording, held.node),
      isWhole: isWhole || held.isOver,
    }));
    const name = shortHash(`${first} ${before.digest}`);
    return { name, parts: [...before.parts, ...own], isOver: held.isOver };
  }

  private async keptBefore(held: HeldShow, first: string): Promise<Before> {
    const known = this.before.get(first);
    if (known) return await known;
    const reading = this.readBefore(held);
    this.before.set(first, reading);
    return await reading.catch((error) => {
      this.before.delete(first);
      throw unavailable('What was recorded before cannot be read now', error);
    });
  }

  /** What nodes that had the push before have recorded of it, as far as it is named. */
  private async readBefore(held: HeldShow): Promise<Before> {
    const { store, storage, beforeStint } = this.options;
    const { channel_id, account_id, show_at, stint, pushed_ms } = held;
    if (pushed_ms === 0 || !stint) return { parts: [], digest: '' };
    const sql = store.for(ofAccount({ account_id }));
    const named = await beforeStint?.(stint);
    const beforeMs = named?.pushedMs ?? pushed_ms;
    const videos = await recordingsBefore(sql, { channel_id, show_at, beforeMs });
    const recordings = videos.map((place) => storage.of(place));
    if (named) recordings.push(named.recording);
    let digest = '';
    for (const recording of recordings)
      digest += shortHash((await orNothing(recording.text(sourceIndex))) ?? '');
    return { parts: recordings.map((recording) => ({ recording, isWhole: true })), digest };
  }

  /** On the disk of the node that records it; when it is a video, wherever that lies then. */
  private recordingOf(recording: string, recording_node: string): StoredRecording {
    const { store, storage } = this.options;
    const here = storage.of({ recording, recording_node, storage: 'disk' });
    const there = async () => {
      const place = await placeOfRecording(store, recording);
      return place ? storage.of(place) : here;
    };
    return {
      name: here.name,
      find: async (file) =>
        (await orNothing(here.find(file))) ?? (await (await there()).find(file)),
      text: async (file) =>
        (await orNothing(here.text(file))) ?? (await (await there()).text(file)),
    };
  }
}

function shortHash(text: string): string {
  return Bun.hash(text).toString(36);
}
