// The bounds of `npm run bench -- worst-cases`: for one action, with the posts of another member meanwhile.
import type { OperationName } from './stage.ts';

interface TimeBound {
  /** The processor time of the server and its processes, in milliseconds. */
  cpuMs: number;
  /** The most processor time in which the server reacts to nothing. */
  turnMs: number;
}

/** Most take 10 ms. Meanwhile, the background can index the block whose message the student has edited. */
const usual: TimeBound = { cpuMs: 150, turnMs: 50 };
/** A hash of a password, a picture, or a search that reads a thousand texts. */
const costly: TimeBound = { cpuMs: 500, turnMs: 50 };

/** Nine megabytes from 190 classes, which leave in turns. */
const exported: TimeBound = { cpuMs: 1000, turnMs: 50 };

const costlyNames: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['signUp', 'signIn', 'resetPassword', 'verifyEmail', 'changePassword'] as const),
  ...(['deleteAccount', 'requestUnmasking', 'confirmUnmasking'] as const),
  ...(['uploadImage', 'searchMessages', 'endTerm'] as const),
]);

export function findTimeBound(name: OperationName): TimeBound {
  if (name === 'exportAccount') return exported;
  return costlyNames.has(name) ? costly : usual;
}

/** What 99 of 100 posts of another member wait at most while a student acts as often as the limits allow. */
export const longestWaitAtFullRateMs = 250;
