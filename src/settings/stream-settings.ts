// Settings of what is pushed and recorded.
import { availableParallelism } from 'node:os';
import { byteCount, decimal, type Settings, whole } from './setting.ts';

export const streamSettings = {
  reconnectMs: {
    variable: 'RECONNECT_MS',
    default: '10000',
    sentence:
      'A push that was cut goes on in the same playlist and recording when it comes back within so many milliseconds.',
    read: whole(0, 600_000),
  },
  recordingMaxHours: {
    variable: 'RECORDING_MAX_HOURS',
    default: '12',
    sentence: 'A longer push becomes several videos.',
    read: whole(1, 1_000),
  },
  freeDiskBytesMin: {
    variable: 'MIN_FREE_DISK',
    default: '1G',
    sentence:
      'Nothing is recorded while the disk has less free than this (bytes, or with `K`, `M`, `G`); live goes on.',
    read: byteCount('0'),
  },
  accountDiskBytes: {
    variable: 'ACCOUNT_DISK',
    default: '0',
    sentence:
      'Disk space for the recordings of one account (bytes, or with `K`, `M`, `G`), each counted twice, as it was pushed and as MP4, and for the pictures of its pages and captions of its videos; beyond it its pushes are live and not recorded, and pictures and captions are refused. 0 for no bound, as for a service of one account.',
    read: byteCount('0'),
  },
  videoRetentionDays: {
    variable: 'VIDEO_RETENTION_DAYS',
    default: '0',
    sentence: 'Recorded videos older than so many days are removed; 0 keeps them.',
    read: whole(0, 36_500),
  },
  jobMemoryBytes: {
    variable: 'JOB_MEMORY',
    default: '512M',
    sentence:
      'Memory that the process of a job may take (bytes, or with `K`, `M`, `G`), half of it to decode pictures: enough for 4K, and for recordings of twelve hours.',
    read: byteCount('128M'),
  },
  ladderCores: {
    variable: 'LADDER_CORES',
    default: '',
    sentence:
      'How many of the machine’s processors the live ladders of all pushes together may take, as a number such as 1.5; a push beyond it has fewer sizes or none. Of them an account has half of what the others leave, and its first ladder in any case. Without it half of the processors.',
    read: (text: string) => (text === '' ? availableParallelism() / 2 : decimal(0, 1_024)(text)),
  },
  uploadBytesMax: {
    variable: 'UPLOAD_SIZE_MAX',
    default: '16G',
    sentence:
      'How large a file may be that is uploaded (bytes, or with `K`, `M`, `G`). Six times as much must be free on the disk: a file takes three times its length, and uploads of one account at most half of what those of others leave.',
    read: byteCount('1'),
  },
  uploadHours: {
    variable: 'UPLOAD_HOURS',
    default: '24',
    sentence:
      'An upload of which nothing comes for so many hours goes, and what has become of one is shown for as long.',
    read: whole(1, 8_760),
  },
} satisfies Settings;
