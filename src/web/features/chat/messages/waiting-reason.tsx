import { useEffect, useState } from 'react';
import styles from './waiting-reason.module.css';

interface Props {
  /** When the message is sent again, in milliseconds. */
  retryAt: number | null;
  isOffline: boolean;
}

/** Says why a message is still being sent. It counts down without announcing each second. */
export function WaitingReason({ retryAt, isOffline }: Props) {
  const seconds = useSecondsUntil(retryAt);
  if (isOffline) return <p className={styles.reason}>Waiting for a connection</p>;
  if (seconds < 1) return null;
  return (
    <p className={styles.reason} role="timer">
      Sending again in {formatWait(seconds)}
    </p>
  );
}

/** '20 s' or '5 min'. */
export function formatWait(seconds: number): string {
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}

export function useSecondsUntil(deadline: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (deadline === null) return;
    const update = () => {
      setNow(Date.now());
      if (Date.now() >= deadline) clearInterval(timer);
    };
    const timer = setInterval(update, 1000);
    update();
    return () => clearInterval(timer);
  }, [deadline]);
  return deadline === null ? 0 : Math.ceil((deadline - now) / 1000);
}
