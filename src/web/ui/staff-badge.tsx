import type { Persona } from '#contract/entities.ts';
import { getText } from '#web/get-text.ts';
import styles from './staff-badge.module.css';

/** The badge behind the name of a staff persona. */
export function StaffBadge({ persona }: { persona: Pick<Persona, 'staff'> | undefined }) {
  return persona?.staff && <span className={styles.badge}>{getText('ui.persona.staff')}</span>;
}
