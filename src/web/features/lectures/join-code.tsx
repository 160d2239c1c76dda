import createQrCode from 'qrcode-generator';
import type { ReactNode } from 'react';
import styles from './join-code.module.css';

/** A QR code of a link, and the link to type. */
export function JoinCode({ url, children }: { url: string; children: ReactNode }) {
  return (
    <div className={styles.join}>
      <p className={styles.text}>{children}</p>
      <Code url={url} />
      <p className={styles.url}>{url.replace(/^https?:\/\//, '')}</p>
    </div>
  );
}

/** Modules of white around the code, which readers need. */
const margin = 4;

function Code({ url }: { url: string }) {
  // The smallest version in which the link fits.
  const code = createQrCode(0, 'M');
  code.addData(url);
  code.make();
  const count = code.getModuleCount();
  const indexes = Array.from({ length: count }, (_, index) => index);
  const path = indexes
    .flatMap((row) =>
      indexes
        .filter((column) => code.isDark(row, column))
        .map((column) => `M${column} ${row}h1v1h-1z`),
    )
    .join('');
  const size = count + 2 * margin;
  return (
    <svg
      className={styles.code}
      viewBox={`${-margin} ${-margin} ${size} ${size}`}
      role="img"
      aria-label="QR code of the class"
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
