// Times of rows that name an account, encrypted: a day that a thief can read could be that of a persona's first or last
// message.
import type { KeyObject } from 'node:crypto';
import { seal, unseal } from './seal.ts';

/** Times in milliseconds since 1970. The value of an enrollment has more: see chat/classes/enrollments-queries.ts. */
export interface Times {
  createdAt: number;
}

/** The row that times belong to: those of another row are not accepted. Stored values are bound to these texts, so they stay. */
export const timesContext = {
  enrollment: (accountId: string, classId: string) => `enrolment ${accountId} ${classId}`,
} as const;

/** Fits all of them, so that the size tells nothing. */
const paddedBytes = 64;

export function sealTimes<Content extends Times>(
  key: KeyObject,
  context: string,
  times: Content,
): string {
  return seal(key, JSON.stringify(times), { context, padTo: paddedBytes });
}

/** @returns null if this key did not seal them for this row */
export function unsealTimes<Content extends Times = Times>(
  key: KeyObject,
  context: string,
  sealed: string,
): Content | null {
  try {
    return JSON.parse(unseal(key, sealed, context)) as Content;
  } catch {
    return null;
  }
}
