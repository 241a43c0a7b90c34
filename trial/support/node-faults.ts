// The faults of a cluster by name: each does its harm and undoes it, and says what it did.
import type { FaultStage } from './fault-stage.ts';
import {
  apart,
  clockSet,
  encoderCut,
  frozen,
  keyRotated,
  storeFrozen,
  storeFull,
  storeIs,
  twoEncoders,
  withoutDatabase,
} from './node-cuts.ts';
import {
  databaseRestarted,
  diskLost,
  jobRunnerKilled,
  killed,
  tabsLoseNodes,
  tailComesBack,
} from './node-deaths.ts';

/** What it did, for the line that is printed; the encoder knows already what may be missing. */
type Fault = (stage: FaultStage) => Promise<string>;

export const faults = {
  'owner killed': (stage) => killed(stage, 'owner'),
  'edge killed': (stage) => killed(stage, 'edge'),
  'counter killed': (stage) => killed(stage, 'counter'),
  'owner frozen': (stage) => frozen(stage, 'owner'),
  'edge frozen': (stage) => frozen(stage, 'edge'),
  'counter frozen': (stage) => frozen(stage, 'counter'),
  'owner without database': (stage) => withoutDatabase(stage, 'owner'),
  'edge without database': (stage) => withoutDatabase(stage, 'edge'),
  'nodes apart': apart,
  'encoder cut': encoderCut,
  'two encoders': twoEncoders,
  'store away': (stage) => storeIs(stage, ['cut', 'silent']),
  'store frozen': storeFrozen,
  'store full': storeFull,
  'store failing': (stage) => storeIs(stage, ['failing', 'slow down']),
  'database restarted in a takeover': databaseRestarted,
  'tail comes back': tailComesBack,
  'disk lost with the store away': diskLost,
  'key rotated elsewhere': keyRotated,
  'tabs lose two nodes': tabsLoseNodes,
  'clock set': clockSet,
  'job runner killed': jobRunnerKilled,
} satisfies Record<string, Fault>;

export type FaultName = keyof typeof faults;
