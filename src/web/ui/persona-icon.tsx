import { toPersonaLook, personaShapes } from '#web/ui/persona-look.ts';
import styles from './persona-icon.module.css';

/** The geometric icon of a persona. Hidden from screen readers, because the name is next to it. */
export function PersonaIcon({ seed, size }: { seed: string; size?: number }) {
  const { hue, shapeHue, shape, solid } = toPersonaLook(seed);
  return (
    <svg
      className={solid ? `${styles.icon} ${styles.solid}` : styles.icon}
      style={{ '--hue': hue, '--shape-hue': shapeHue }}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <path d={personaShapes[shape]} transform="translate(2.4 2.4) scale(0.8)" />
    </svg>
  );
}
