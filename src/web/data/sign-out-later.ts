// Signs out without a network: what this device has of the account goes immediately, the session with the next connection.
import { AppError, isTemporary } from '#contract/errors.ts';
import { call, NetworkError } from '#web/api.ts';
import { clearNotifications } from '#web/data/app-storage.ts';
import { publishSessionChange, reloadSignedOut, signingOutKey } from '#web/data/session.ts';

const waiting =
  'You are logged out on this device. Your session ends as soon as the server can be reached.';

/** @param clearUnsent deletes unsent messages */
export async function signOutLater(clearUnsent: () => Promise<void>): Promise<void> {
  publishSessionChange('signing-out');
  await clearNotifications();
  await reloadSignedOut(clearUnsent, '/signin', true);
}

/** @throws {NetworkError} if the server still cannot be reached */
export async function finishSignOut(): Promise<void> {
  try {
    await call('signOut', {});
  } catch (error) {
    if (error instanceof NetworkError) throw Object.assign(error, { message: waiting });
    if (!(error instanceof AppError) || isTemporary(error.code)) throw error;
    // The session ended meanwhile.
  }
  localStorage.removeItem(signingOutKey);
}
