import { useEffect, useState } from 'react';
import styles from './chat.module.css';

let persistence: Promise<boolean> | undefined;

/** Asks the browser once to keep what this site stores. Some browsers pass the question to the member. */
async function requestPersistence(): Promise<boolean> {
  // Pages without https have no `navigator.storage`.
  return navigator.storage.persist();
}

/** Says that the browser may delete unsent messages, unless it promises to keep them. */
export function StorageNotice() {
  const [mayDelete, setMayDelete] = useState(false);
  useEffect(() => {
    persistence ??= requestPersistence();
    persistence.then(
      (isKept) => setMayDelete(!isKept),
      () => setMayDelete(true),
    );
  }, []);
  return (
    mayDelete && (
      <p className={styles.offline}>This browser may keep unsent messages only for a few days.</p>
    )
  );
}
