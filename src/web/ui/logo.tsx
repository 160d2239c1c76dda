import { useState } from 'react';
import type { SchoolTheme } from '#contract/entities.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import styles from './logo.module.css';

/** The school by its logo and its name. */
export function School({ theme, height }: { theme: SchoolTheme | null; height: number }) {
  return (
    <div className={styles.school}>
      <Logo url={theme?.['logoUrl'] || null} height={height} />
      <bdi translate="no">{theme?.['name'] || site.appName}</bdi>
    </div>
  );
}

/** The school's logo. Shows 'No logo' if it is missing or fails to load. */
export function Logo({ url, height }: { url: string | null; height: number }) {
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null);
  if (!url || brokenUrl === url) {
    return (
      <span className="meta" style={{ lineHeight: `${height}px` }}>
        {getText('ui.logo.none')}
      </span>
    );
  }
  return (
    <img
      className={styles.logo}
      src={url}
      alt={getText('ui.logo.label')}
      style={{ height }}
      onError={() => setBrokenUrl(url)}
    />
  );
}
