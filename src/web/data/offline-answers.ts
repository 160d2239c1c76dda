// The answers with which the app opens if the server cannot be reached. The code that keeps them on this device loads
// after the first screen, or when it is needed.
import type { QueryClient } from '@tanstack/react-query';
import { NetworkError } from '#web/api.ts';
import { isUnreachable } from '#web/data/reachability.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { OfflineAnswers } from '#web/sync/offline/offline-storage.ts';
import type { LiveClient } from '#web/sync/room/room.ts';

const code = createPreloadedModule(() => import('./offline-data.ts'));

/** A session check that takes longer is answered by this device, too, if the device keeps an answer. */
const slowMs = 4000;

/** Answers with what this device keeps, if the server could not be reached for the session check of this page. */
export function callWithOfflineFallback<Name extends keyof OfflineAnswers>(
  name: Name,
  request: Promise<OfflineAnswers[Name]>,
): Promise<OfflineAnswers[Name]> {
  const isSessionCheck = name === 'me';
  return new Promise((resolve, reject) => {
    const fallBack = async () => {
      const mayFallBack = isSessionCheck || (await isUnreachable.promise);
      const keptAnswer = mayFallBack ? await loadOfflineAnswer(name) : null;
      if (isSessionCheck) isUnreachable.resolve(keptAnswer !== null);
      if (keptAnswer !== null) resolve(keptAnswer);
      return keptAnswer !== null;
    };
    const timer = setTimeout(() => void fallBack(), slowMs);
    const onAnswer = (answer: OfflineAnswers[Name]) => {
      clearTimeout(timer);
      if (isSessionCheck) isUnreachable.resolve(false);
      resolve(answer);
    };
    const onError = async (error: unknown) => {
      clearTimeout(timer);
      const isKept = error instanceof NetworkError && (await fallBack());
      if (isKept) return;
      if (isSessionCheck) isUnreachable.resolve(false);
      reject(error);
    };
    request.then(onAnswer, onError);
  });
}

async function loadOfflineAnswer<Name extends keyof OfflineAnswers>(
  name: Name,
): Promise<OfflineAnswers[Name] | null> {
  await code.load();
  const keptAnswers = await code.getSnapshot()?.loadAnswers();
  return (keptAnswers?.[name] as OfflineAnswers[Name] | undefined) ?? null;
}

/** @returns a function that ends the storing */
export function storeOfflineWhenLoaded(live: LiveClient, client: QueryClient): () => void {
  let stop: (() => void) | undefined;
  const start = () => {
    stop ??= code.getSnapshot()?.storeOffline(live, client);
  };
  const unsubscribe = code.subscribe(start);
  start();
  return () => {
    unsubscribe();
    stop?.();
  };
}
