import { useId } from 'react';
import { limits } from '#contract/limits.ts';
import { toPersonaIcon } from '#contract/persona-figure.ts';
import { describePersonaIcon } from '#web/ui/persona-icon-name.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './persona.module.css';

const maxChoices = 24;

/**
 * Lists the icons that the member can choose: the current icon, then icons of other shapes. Hues that no one in the room
 * has come first, and no icon looks like that of another member in the room.
 */
export function listIconChoices(
  memberId: string,
  currentIcon: string,
  otherIcons: readonly string[],
): string[] {
  const seeds = Array.from({ length: limits.personaIcons }, (_, n) => toPersonaIcon(memberId, n));
  const takenLooks = new Set(otherIcons.map(toLookKey));
  const takenHues = new Set(otherIcons.map((seed) => toPersonaLook(seed).hue));
  const isFree = (seed: string) => !takenHues.has(toPersonaLook(seed).hue);
  const choices = [currentIcon];
  const shapes = new Set([toPersonaLook(currentIcon).shape]);
  for (const seed of [...seeds.filter(isFree), ...seeds]) {
    const { shape } = toPersonaLook(seed);
    if (choices.length === maxChoices || shapes.has(shape) || takenLooks.has(toLookKey(seed))) {
      continue;
    }
    shapes.add(shape);
    choices.push(seed);
  }
  return choices;
}

function toLookKey(seed: string): string {
  return Object.values(toPersonaLook(seed)).join();
}

interface Props {
  seeds: readonly string[];
  selectedIcon: string;
  onChoose: (seed: string) => void;
}

/** Uses radio buttons, so that the arrow keys move between the icons. */
export function IconChoice({ seeds, selectedIcon, onChoose }: Props) {
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
            checked={seed === selectedIcon}
            onChange={() => onChoose(seed)}
          />
          <PersonaIcon seed={seed} size={32} />
        </label>
      ))}
    </fieldset>
  );
}
