import type { QueryClient } from '@tanstack/react-query';
import { notifyManager, queryOptions, useQuery } from '@tanstack/react-query';
import type { CallReply } from '#contract/http.ts';
import type { Role } from '#contract/moderation.ts';
import { call } from '#web/api.ts';
import { attempt } from '#web/attempt.ts';
import { removeStoredApp } from '#web/data/app-storage.ts';
import { callWithOfflineFallback } from '#web/data/offline-answers.ts';
import { meKey } from '#web/data/query-keys.ts';
import { deleteOfflineData } from '#web/data/reachability.ts';
import { clearStoredDrafts, endedKey, notifySessionEnd } from '#web/data/session-end.ts';
import { settings, settingsKey } from '#web/data/settings.ts';
import { createStore, type Store } from '#web/store.ts';
import { useStore } from '#web/use-store.ts';

/** The key in localStorage that exists while a sign-out waits for the server. */
const signingOutKey = 'signing-out';

export const meQuery = queryOptions({
  queryKey: meKey,
  async queryFn({ client }) {
    if (localStorage.getItem(signingOutKey)) {
      const { finishSignOut } = await import('#web/data/finish-sign-out.ts');
      await finishSignOut();
      localStorage.removeItem(signingOutKey);
    }
    const me = await callWithOfflineFallback('me', call('me', {}));
    const knownMe = client.getQueryData<CallReply<'me'>>(meKey);
    if (me.account || !knownMe?.account) return me;
    endSession(client);
    return client.getQueryData<CallReply<'me'>>(meKey) ?? me;
  },
  staleTime: Infinity,
  retry: false,
});

/** The current session. `account` is null if no one is signed in. */
export function useMe() {
  return useQuery(meQuery);
}

/** Staff do not moderate. */
function listModerationRoles(me: CallReply<'me'> | undefined): Role[] {
  return (me?.account?.roles ?? []).filter(({ role }) => role !== 'staff');
}

/** Whether the account has the screen of moderators. */
export function useIsModerator(): boolean {
  return listModerationRoles(useMe().data).length > 0;
}

/** Whether the account is an operator, who has the rights in all classes. */
export function useIsOperator(): boolean {
  return listModerationRoles(useMe().data).some(({ role }) => role === 'operator');
}

/** Whether the member moderates the class, as a member or not. The server decides. */
export function useMayModerate(): (classId: string) => boolean {
  const roles = listModerationRoles(useMe().data);
  return (classId) => roles.some((role) => role.classId === null || role.classId === classId);
}

/** Whether the account holds the lectures of the class, as staff or because it moderates. The server decides. */
export function useHoldsLectures(classId: string): boolean {
  const roles = useMe().data?.account?.roles ?? [];
  return roles.some((role) => role.classId === null || role.classId === classId);
}

/** The session ended while its page was open. The page waits in memory until the same person signs in again. OFFLINE-16 */
const hasEnded = createStore(false);
export const sessionEnd: Store<boolean> = hasEnded;

export function useHasSessionEnded(): boolean {
  return useStore(hasEnded);
}

/** Entries of the browser's storages that wait in memory, so that the next person at this device cannot read them. */
let heldEntries: { storage: Storage; key: string; text: string }[] = [];
/** The key of their account. */
let heldFor = '';

function holdStorages(accountKey: string): void {
  heldFor = accountKey;
  attempt(() => localStorage.setItem(endedKey, 'yes'), undefined);
  for (const storage of [localStorage, sessionStorage]) {
    for (const key of Object.keys(storage)) {
      if (storage === localStorage && [settingsKey, signingOutKey, endedKey].includes(key)) {
        continue;
      }
      const text = storage.getItem(key);
      // Null if another tab holds the entry already.
      if (text !== null) heldEntries.push({ storage, key, text });
      storage.removeItem(key);
    }
  }
}

function restoreStorages(): void {
  const isSharedComputer = settings.getSnapshot().keepMessages === 'off';
  for (const { storage, key, text } of heldEntries) {
    // The sign-in form may have said so just now, and then drafts are only in memory.
    if (isSharedComputer && key.startsWith('draft')) {
      continue;
    }
    // Another tab may have written a newer one already.
    if (storage.getItem(key) === null) attempt(() => storage.setItem(key, text), undefined);
  }
  heldEntries = [];
  localStorage.removeItem(endedKey);
}

// No page that loads later waits.
localStorage.removeItem(endedKey);

/** Refetches the session after a sign-in in this or another tab. */
export async function refreshMe(client: QueryClient): Promise<void> {
  if (!hasEnded.getSnapshot()) return client.invalidateQueries({ queryKey: meKey });
  const me = await call('me', {});
  if (!me.account || !hasEnded.getSnapshot()) return;
  const knownKey = client.getQueryData<CallReply<'me'>>(meKey)?.account?.key;
  // A page load ends the memory of this tab.
  if (me.account.suspended || me.account.key !== knownKey) return location.replace('/home');
  restoreStorages();
  publishSessionChange({ restored: me.account.key });
  client.setQueryData(meKey, me);
  hasEnded.set(false);
  await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'code' });
}

/** Removes all that the browser stores of the account. An open page stays in memory for the same person. */
export function endSession(client: QueryClient): void {
  if (!hasEnded.getSnapshot()) {
    void deleteOfflineData();
    void removeStoredApp();
    const account = client.getQueryData<CallReply<'me'>>(meKey)?.account;
    const isPageKept = account?.suspended === false;
    notifySessionEnd(isPageKept);
    if (isPageKept) {
      holdStorages(account.key);
      hasEnded.set(true);
    } else {
      clearStoredDrafts();
      sessionStorage.clear();
      client.setQueryData(meKey, { account: null });
      // A view of the ended session that is rendered once more would fetch again what is removed here, so the views go first.
      notifyManager.schedule(() =>
        client.removeQueries({
          predicate: ({ queryKey }) => queryKey[0] !== 'me' && queryKey[0] !== 'theme',
        }),
      );
    }
  }
  // A suspended account is told why, and another tab may have signed in already.
  void refreshMe(client).catch(() => undefined);
}

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('session') : null;

/**
 * `signing-out`: the member signed out without a network. `restored`: a tab of this account shows its page again, so the
 * others put back what they hold before a draft is sent from there.
 */
type SessionChange = 'signed-in' | 'signed-out' | 'signing-out' | { restored: string };

export function publishSessionChange(change: SessionChange): void {
  channel?.postMessage(change);
}

channel?.addEventListener('message', ({ data }: MessageEvent<SessionChange>) => {
  if (typeof data === 'object' && data.restored === heldFor) restoreStorages();
});

export function onSessionChange(listener: (change: SessionChange) => void): () => void {
  const onMessage = ({ data }: MessageEvent<SessionChange>) => listener(data);
  channel?.addEventListener('message', onMessage);
  return () => channel?.removeEventListener('message', onMessage);
}

/**
 * Signs out with a full page load, so that the tab's memory keeps nothing of this account.
 *
 * @param clearUnsent deletes unsent messages; only the tab that signs out does this, for all tabs
 * @param isLater the server does not know it yet: the next page ends the session (finish-sign-out.ts)
 */
export async function reloadSignedOut(
  clearUnsent?: () => Promise<void>,
  to: '/signin' | '/signin?account-deleted' = '/signin',
  isLater = false,
): Promise<void> {
  try {
    await clearUnsent?.();
  } catch (error) {
    console.warn('Unsent messages could not be wiped.', error);
  }
  await deleteOfflineData();
  // Without the stored app, no page could say what happened, or end the session later.
  if (!isLater) await removeStoredApp();
  sessionStorage.clear();
  if (isLater) localStorage.setItem(signingOutKey, 'yes');
  // The tabs do this one after the other: the key must stay for those that have loaded again.
  for (const key of Object.keys(localStorage)) {
    if (!isLater || key !== signingOutKey) localStorage.removeItem(key);
  }
  location.replace(to);
}
