// Times of rows that name an account, encrypted: a day that a thief can read could be that of a persona's first or last
// message.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from './seal.ts';

/** Times in milliseconds since 1970. */
export interface Times {
  createdAt: number;
  /** The end of a session or a link. */
  expiresAt?: number;
}

const start = new Date(0).toISOString();

/** The values of the columns in which earlier versions stored the times. All rows have the same values. */
export const placeholderDates = { createdAt: start, updatedAt: start } as const;
/** The values for a row that also has a column for its end. */
export const placeholderDatesAndEnd = {
  ...placeholderDates,
  expiresAt: '9999-01-01T00:00:00.000Z',
} as const;

/** The row that times belong to: those of another row are not accepted. Stored values are bound to these texts, so they stay. */
export const timesContext = {
  account: (id: string) => `account ${id}`,
  session: (hashedToken: string) => `session ${hashedToken}`,
  link: (hashedIdentifier: string) => `link ${hashedIdentifier}`,
} as const;

/** Fits all of them, so that the size tells nothing. */
const paddedBytes = 64;

export function sealTimes(key: KeyObject, context: string, times: Times): string {
  return seal(key, JSON.stringify(times), { context, padTo: paddedBytes });
}

/** @returns null if this key did not seal them for this row */
export function unsealTimes(key: KeyObject, context: string, sealed: string): Times | null {
  try {
    return JSON.parse(unseal(key, sealed, context)) as Times;
  } catch {
    return null;
  }
}

interface RowTimes {
  /** Null in a row of an earlier version, whose columns have the times. */
  times: string | null;
  createdAt: string | Date;
  expiresAt?: string | Date;
}

/** @returns null if this key did not seal them for this row */
export function decryptTimes(key: KeyObject, context: string, row: RowTimes): Times | null {
  if (row.times !== null) return unsealTimes(key, context, row.times);
  return {
    createdAt: new Date(row.createdAt).getTime(),
    ...(row.expiresAt !== undefined && { expiresAt: new Date(row.expiresAt).getTime() }),
  };
}
