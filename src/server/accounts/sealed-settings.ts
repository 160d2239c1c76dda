// What an account chose about its notifications in all classes, encrypted in the account's row. Each account has a value from its
// sign-up on, so that no copy of the database tells who is new or who chose something.
import type { KeyObject } from 'node:crypto';
import type { NotificationSettings } from '#contract/notifications.ts';
import { seal, unseal } from '#server/base/seal.ts';

/** One value, so that a stolen copy cannot tell who wants a digest from who has quiet hours. */
export interface StoredSettings extends NotificationSettings {
  digest: boolean;
}

export const defaultSettings: StoredSettings = {
  showText: false,
  answers: true,
  quietHours: null,
  snoozedUntil: null,
  waitingWork: false,
  digest: false,
};

/** Every value fits into this size, so it tells nothing by its length. */
const paddedBytes = 256;

export function sealSettings(key: KeyObject, accountId: string, settings: StoredSettings): string {
  return seal(key, JSON.stringify(settings), { context: accountId, padTo: paddedBytes });
}

/** Settings of earlier versions lack fields. @throws {Error} as `unseal` */
export function unsealSettings(key: KeyObject, accountId: string, sealed: string): StoredSettings {
  const storedSettings = JSON.parse(unseal(key, sealed, accountId)) as Partial<StoredSettings>;
  return { ...defaultSettings, ...storedSettings };
}
