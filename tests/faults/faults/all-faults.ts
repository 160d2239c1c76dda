import type { Fault } from '../stage.ts';
import { badLine } from './bad-line.ts';
import { clock } from './clock.ts';
import { diskFull } from './disk-full.ts';
import { herd } from './herd.ts';
import { killAtStage } from './kill-at-stage.ts';
import { killAtRandom } from './kill-at-random.ts';
import { lockedDatabase } from './locked-database.ts';
import { oldBackup } from './old-backup.ts';
import { pause } from './pause.ts';
import { plantedFaults } from './planted.ts';
import { restore } from './restore.ts';
import { sameSubmit } from './same-submit.ts';
import { slowReader } from './slow-reader.ts';
import { synced } from './synced.ts';

/** The faults in the order of the rounds. */
export const allFaults: readonly Fault[] = [
  ...plantedFaults,
  synced,
  killAtRandom,
  killAtStage,
  pause,
  diskFull,
  lockedDatabase,
  slowReader,
  badLine,
  sameSubmit,
  oldBackup,
  restore,
  clock,
  herd,
];
