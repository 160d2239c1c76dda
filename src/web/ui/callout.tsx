import { Icon } from '#web/ui/icon.tsx';
import styles from './callout.module.css';

interface Props {
  kind: 'error' | 'info';
  children: string | null;
}

/** A line about what happened. Its area is always in the page, so that screen readers hear it fill. */
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
