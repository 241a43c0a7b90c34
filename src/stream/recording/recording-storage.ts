// Where recordings are read from: the folder on this node's disk, or the bucket, as the database says.
import type { BucketRecordings } from './bucket-recordings.ts';
import { recordingFolder } from './recording-folder.ts';
import {
  notThere,
  type RecordingPlace,
  type StoredRecording,
  storedInFolder,
} from './stored-recording.ts';

export interface RecordingStorage {
  /** Throws where the name is none of ours. */
  of(place: RecordingPlace): StoredRecording;
}

export function recordingStorage(given: {
  dataDir: string;
  /** Undefined where the service has none: what lies there cannot be read. */
  bucket: BucketRecordings | undefined;
}): RecordingStorage {
  const { dataDir, bucket } = given;
  return {
    of: ({ recording, storage }) => {
      const folder = recordingFolder(dataDir, recording);
      if (storage === 'disk' || storage === 'spool') return storedInFolder(folder);
      return bucket?.of(recording) ?? nowhere;
    },
  };
}

/** What lies in a bucket that the service was not told of. */
const nowhere: StoredRecording = {
  name: 'nowhere',
  find: async (file) => Promise.reject(notThere(file)),
  text: async (file) => Promise.reject(notThere(file)),
};
