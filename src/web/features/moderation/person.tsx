import type { Persona } from '#contract/entities.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import styles from './case-detail.module.css';

export function Person({ persona }: { persona: Persona }) {
  return (
    <p className={styles.person}>
      <PersonaIcon seed={persona.icon} size={24} />
      <bdi className={styles.name} style={{ '--hue': toPersonaLook(persona.icon).hue }}>
        {persona.anonymousName}
      </bdi>
      <StaffBadge persona={persona} />
    </p>
  );
}
