import createQrCode from 'qrcode-generator';
import type { ReactNode } from 'react';
import { getText } from '#web/get-text.ts';
import styles from './join-code.module.css';

interface Props {
  /** What the QR code opens. */
  url: string;
  /** Lead to the same class, and are short enough to type. */
  letters: string;
  isLarge?: boolean;
  children: ReactNode;
}

/** How the people in the hall open the class. */
export function JoinCode({ url, letters, isLarge, children }: Props) {
  return (
    <div className={styles.join} data-large={isLarge || undefined}>
      {isLarge && <p>{children}</p>}
      <Code url={url} />
      {!isLarge && <p>{children}</p>}
      <p className={styles.url} dir="ltr">
        {location.host}/c/<b className={styles.letters}>{letters}</b>
      </p>
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
      aria-label={getText('lectures.qrCode')}
      shapeRendering="crispEdges"
    >
      <path d={path} />
    </svg>
  );
}
