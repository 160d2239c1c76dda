import type { Persona } from '#contract/entities.ts';
import styles from './staff-badge.module.css';

/** Behind the name of a staff persona. */
export function StaffBadge({ of }: { of: Pick<Persona, 'staff'> | undefined }) {
  return of?.staff && <span className={styles.badge}>Staff</span>;
}
