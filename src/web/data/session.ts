import type { QueryClient } from '@tanstack/react-query';
import { useQuery } from '@tanstack/react-query';
import { call } from '#web/api.ts';
import { forgetDrafts } from '#web/data/drafts.ts';
import { forgetPictures } from '#web/data/pictures.ts';
import { forgetReadMarks } from '#web/sync/read-marks.ts';

const meKey = ['me'];
const returningKey = 'returning';

/** The current session. `account` is null if no one is signed in. */
export function useMe() {
  return useQuery({
    queryKey: meKey,
    queryFn: () => call('me', {}),
    staleTime: Infinity,
    retry: false,
  });
}

/** Refetches the session after a sign-in in this or another tab. */
export function refreshMe(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: meKey });
}

/** Whether this browser was signed in last time, so that the member area can load before `me`. */
export function wasSignedIn(): boolean {
  return localStorage.getItem(returningKey) !== null;
}

export function rememberSignedIn(): void {
  localStorage.setItem(returningKey, '1');
}

/** Clears all state after the session ends, but keeps the current URL. */
export function forgetSession(client: QueryClient): void {
  forgetDrafts();
  forgetReadMarks();
  forgetPictures();
  sessionStorage.clear();
  localStorage.removeItem(returningKey);
  client.removeQueries({
    predicate: ({ queryKey }) => queryKey[0] !== 'me' && queryKey[0] !== 'theme',
  });
  client.setQueryData(meKey, { account: null });
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('session') : null;

export function broadcastSession(change: 'signed-in' | 'signed-out'): void {
  channel?.postMessage(change);
}

export function onSessionBroadcast(
  listener: (change: 'signed-in' | 'signed-out') => void,
): () => void {
  const heard = ({ data }: MessageEvent) => {
    if (data === 'signed-in' || data === 'signed-out') listener(data);
  };
  channel?.addEventListener('message', heard);
  return () => channel?.removeEventListener('message', heard);
}

/**
 * Signs out with a full page load, so that the tab's memory keeps nothing of this account.
 *
 * @param forgetUnsent deletes unsent messages; only the tab that signs out does this, for all tabs
 */
export async function leaveSignedOut(
  forgetUnsent?: () => Promise<void>,
  to: '/signin' | '/signin?account-deleted' = '/signin',
): Promise<void> {
  try {
    await forgetUnsent?.();
  } catch (error) {
    console.warn('Unsent messages could not be wiped.', error);
  }
  sessionStorage.clear();
  localStorage.clear();
  location.replace(to);
}
