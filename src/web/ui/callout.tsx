import { Icon } from '#web/ui/icon.tsx';
import styles from './callout.module.css';

interface Props {
  kind: 'error' | 'info';
  children: string | null;
}

/** A status line. Its live region is always rendered, so that screen readers announce changes. */
export function Callout({ kind, children }: Props) {
  return (
    <div className={styles.area} role={kind === 'error' ? 'alert' : 'status'}>
      {children && (
        <p className={`${styles.callout} ${styles[kind]}`}>
          <Icon name={kind === 'error' ? 'alert' : 'check'} size={18} />
          <span>{children}</span>
        </p>
      )}
    </div>
  );
}
