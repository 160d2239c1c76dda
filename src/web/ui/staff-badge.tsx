import type { Persona } from '#contract/entities.ts';
import styles from './staff-badge.module.css';

/** The badge behind the name of a staff persona. */
export function StaffBadge({ persona }: { persona: Pick<Persona, 'staff'> | undefined }) {
  return persona?.staff && <span className={styles.badge}>Staff</span>;
}
