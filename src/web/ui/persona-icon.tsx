import { toPersonaLook, personaShapes } from '#web/ui/persona-look.ts';
import styles from './persona-icon.module.css';

/** The geometric icon of a persona. Hidden from screen readers, because the name is next to it. */
export function PersonaIcon({ seed, size }: { seed: string; size?: number }) {
  // In rem, so that it grows with the text.
  const length = size && `${size / 16}rem`;
  const { hue, shape, solid } = toPersonaLook(seed);
  return (
    <svg
      className={solid ? `${styles.icon} ${styles.solid}` : styles.icon}
      style={{ '--hue': hue }}
      width={length}
      height={length}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      <path d={personaShapes[shape]} />
    </svg>
  );
}
