// The bounds of `npm run bench -- worst-cases`: for one act, with the posts of another member meanwhile.
import type { OperationName } from './stage.ts';

interface TimeBound {
  /** Of the server and its processes, in milliseconds. */
  cpuMs: number;
  /** The longest time in which the server reacts to nothing. */
  delayMs: number;
}

const usual: TimeBound = { cpuMs: 60, delayMs: 60 };
/** A hash of a password, a picture, or a search that reads a thousand texts. */
const costly: TimeBound = { cpuMs: 500, delayMs: 60 };

const costlyNames: ReadonlySet<OperationName> = new Set<OperationName>([
  ...(['signUp', 'signIn', 'resetPassword', 'verifyEmail', 'changePassword'] as const),
  ...(['deleteAccount', 'requestUnmasking', 'confirmUnmasking'] as const),
  ...(['uploadImage', 'searchMessages', 'exportAccount', 'endTerm'] as const),
]);

export function findTimeBound(name: OperationName): TimeBound {
  return costlyNames.has(name) ? costly : usual;
}
