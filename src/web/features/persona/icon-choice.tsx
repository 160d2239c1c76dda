import { useId } from 'react';
import { limits } from '#contract/limits.ts';
import { personaIcon } from '#contract/persona-icon.ts';
import { personaLook, personaWords } from '#web/ui/persona-look.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './persona.module.css';

const offered = 24;

/**
 * The icons on offer: the current one first, then others with distinct shapes. None of them resembles an icon
 * of another member in the room.
 */
export function iconChoices(memberId: string, now: string, others: readonly string[]): string[] {
  const seeds = Array.from({ length: limits.personaIcons }, (_, n) => personaIcon(memberId, n));
  const worn = new Set(others.map(lookOf));
  const choices = [now];
  const shapes = new Set([personaLook(now).shape]);
  for (const seed of seeds) {
    const { shape } = personaLook(seed);
    if (choices.length === offered || shapes.has(shape) || worn.has(lookOf(seed))) continue;
    shapes.add(shape);
    choices.push(seed);
  }
  return choices;
}

function lookOf(seed: string): string {
  return Object.values(personaLook(seed)).join();
}

interface Props {
  seeds: readonly string[];
  chosen: string;
  onChoose: (seed: string) => void;
}

/** Uses radio buttons, so that the arrow keys move between the icons. */
export function IconChoice({ seeds, chosen, onChoose }: Props) {
  const name = useId();
  return (
    <fieldset className={styles.icons}>
      <legend>Icon</legend>
      {seeds.map((seed) => (
        <label key={seed} className={styles.choice}>
          <input
            type="radio"
            name={name}
            aria-label={personaWords(seed)}
            checked={seed === chosen}
            onChange={() => onChoose(seed)}
          />
          <PersonaIcon seed={seed} size={32} />
        </label>
      ))}
    </fieldset>
  );
}
