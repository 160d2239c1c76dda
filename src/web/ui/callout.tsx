import { Icon } from '#web/ui/icon.tsx';
import styles from './callout.module.css';

interface Props {
  kind: 'error' | 'info';
  /** Names the text for a field that it describes. */
  id?: string;
  children: string | null;
}

/** A status line. Its live region is always rendered, so that screen readers announce changes. */
export function Callout({ kind, id, children }: Props) {
  return (
    <div id={id} className={styles.area} role={kind === 'error' ? 'alert' : 'status'}>
      {children && (
        <p className={`${styles.callout} ${styles[kind]}`}>
          <Icon name="alert" size={18} />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}
