import { useEffect, useState } from 'react';

let persistence: Promise<boolean> | undefined;

/** Asks the browser once to keep what this site stores. Some browsers pass the question to the member. */
async function requestPersistence(): Promise<boolean> {
  // Pages without https have no `navigator.storage`.
  return navigator.storage.persist();
}

/** Whether the browser may delete the messages that wait: it does, unless it promises to keep them. */
export function useMayLoseUnsent(isWaiting: boolean): boolean {
  const [mayDelete, setMayDelete] = useState(false);
  useEffect(() => {
    if (!isWaiting) return;
    persistence ??= requestPersistence();
    persistence.then(
      (isKept) => setMayDelete(!isKept),
      () => setMayDelete(true),
    );
  }, [isWaiting]);
  return isWaiting && mayDelete;
}
