// Ends the session of a member who logged out without a network.
import { isTemporary } from '#contract/temporary-errors.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { call, NetworkError } from '#web/api.ts';
import { getText } from '#web/get-text.ts';

const waitingText = getText('data.signOut.waiting');

/** @throws {NetworkError} if the server still cannot be reached */
export async function finishSignOut(): Promise<void> {
  try {
    await call('signOut', {});
  } catch (error) {
    if (error instanceof NetworkError) throw Object.assign(error, { message: waitingText });
    if (!(error instanceof RejectedError) || isTemporary(error.code)) throw error;
    // The session ended meanwhile.
  }
}
