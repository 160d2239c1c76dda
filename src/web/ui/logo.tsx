import { useState } from 'react';
import styles from './logo.module.css';

/** The school's logo. Shows 'No logo' if it is missing or fails to load. */
export function Logo({ url, height }: { url: string | null; height: number }) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (!url || brokenUrl === url) {
    return (
      <span className={styles.none} style={{ lineHeight: `${height}px` }}>
        No logo
      </span>
    );
  }
  return (
    <img
      className={styles.logo}
      src={url}
      alt="School logo"
      style={{ height }}
      onError={() => setBrokenUrl(url)}
    />
  );
}
