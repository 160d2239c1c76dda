import { useId } from 'react';
import { limits } from '#contract/limits.ts';
import { personaIcon } from '#contract/persona.ts';
import { describePersonaIcon } from '#web/ui/persona-icon-name.ts';
import { personaLook } from '#web/ui/persona-look.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './persona.module.css';

const maxChoices = 24;

/**
 * The icons on offer: the current one first, then others with distinct shapes, those in hues that no one in the
 * room has before the rest. None of them resembles an icon of another member in the room.
 */
export function iconChoices(memberId: string, now: string, others: readonly string[]): string[] {
  const seeds = Array.from({ length: limits.personaIcons }, (_, n) => personaIcon(memberId, n));
  const takenLooks = new Set(others.map(lookOf));
  const takenHues = new Set(others.map((seed) => personaLook(seed).hue));
  const isFree = (seed: string) => !takenHues.has(personaLook(seed).hue);
  const choices = [now];
  const shapes = new Set([personaLook(now).shape]);
  for (const seed of [...seeds.filter(isFree), ...seeds]) {
    const { shape } = personaLook(seed);
    if (choices.length === maxChoices || shapes.has(shape) || takenLooks.has(lookOf(seed))) {
      continue;
    }
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
            aria-label={describePersonaIcon(seed)}
            checked={seed === chosen}
            onChange={() => onChoose(seed)}
          />
          <PersonaIcon seed={seed} size={32} />
        </label>
      ))}
    </fieldset>
  );
}
