// Where recordings are read from: the folder on this node's disk or another's, or the bucket, as the database says.
import type { BucketRecordings } from './bucket-recordings.ts';
import type { NodeRecordings } from './node-recordings.ts';
import { orNothing, recordingFolder } from './recording-folder.ts';
import {
  type KeptPlace,
  notThere,
  type StoredRecording,
  storedInFolder,
} from './stored-recording.ts';

export interface RecordingStorage {
  /** Throws where the name is none of ours. */
  of(place: KeptPlace): StoredRecording;
  /** Whether what lies on another node's disk can be read. */
  readonly readsOthers: boolean;
}

export function recordingStorage(given: {
  dataDir: string;
  /** Undefined where the service has none: what lies there cannot be read. */
  bucket: BucketRecordings | undefined;
  /** Absent where there are no other nodes to ask. */
  others?: { node: string; recordings: NodeRecordings } | undefined;
}): RecordingStorage {
  const { dataDir, bucket, others } = given;
  return {
    readsOthers: others !== undefined,
    of: ({ recording, recording_node, storage }) => {
      const folder = recordingFolder(dataDir, recording);
      if (storage === 'bucket' || storage === 'leaving') return bucket?.of(recording) ?? nowhere;
      const here = storedInFolder(folder);
      if (!others || recording_node === others.node) return here;
      // A service that was given another name still has what lies in its folder.
      return firstOf(here, others.recordings.of(recording_node, recording));
    },
  };
}

/** What the first does not have is the second's. */
function firstOf(first: StoredRecording, second: StoredRecording): StoredRecording {
  return {
    name: first.name,
    find: async (file) => (await orNothing(first.find(file))) ?? (await second.find(file)),
    text: async (file) => (await orNothing(first.text(file))) ?? (await second.text(file)),
  };
}

/** What lies in a bucket that the service was not told of. */
const nowhere: StoredRecording = {
  name: 'nowhere',
  find: async (file) => Promise.reject(notThere(file)),
  text: async (file) => Promise.reject(notThere(file)),
};
