import { useId } from 'react';
import { limits } from '#contract/limits.ts';
import { toPersonaFigure, toPersonaIcon } from '#contract/persona-figure.ts';
import { toTileName } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import styles from './icon-choice.module.css';

const maxChoices = 24;

/**
 * Lists the icons that the member can choose: the current icon, then icons of other shapes, whose hues differ as long as they
 * can. None has the name of another member in the room.
 */
export function listIconChoices(
  memberId: string,
  currentIcon: string,
  otherIcons: readonly string[],
): string[] {
  const takenFigures = new Set(otherIcons.map(toPersonaFigure));
  const seeds = Array.from({ length: limits.personaIcons }, (_, n) =>
    toPersonaIcon(memberId, n),
  ).filter((seed) => !takenFigures.has(toPersonaFigure(seed)));
  const choices = [currentIcon];
  const shapes = new Set([toPersonaLook(currentIcon).shape]);
  const hueCounts = new Map([[toPersonaLook(currentIcon).hue, 1]]);
  for (let maxOfHue = 1; maxOfHue <= maxChoices; maxOfHue++) {
    for (const seed of seeds) {
      const { hue, shape } = toPersonaLook(seed);
      const hueCount = hueCounts.get(hue) ?? 0;
      if (choices.length === maxChoices || shapes.has(shape) || hueCount >= maxOfHue) continue;
      shapes.add(shape);
      hueCounts.set(hue, hueCount + 1);
      choices.push(seed);
    }
  }
  return choices;
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
      <legend>{getText('persona.icon')}</legend>
      {seeds.map((seed) => (
        <label key={seed} className={styles.choice}>
          <input
            type="radio"
            name={name}
            aria-label={toTileName(seed)}
            checked={seed === selectedIcon}
            onChange={() => onChoose(seed)}
          />
          <PersonaIcon seed={seed} size={32} />
        </label>
      ))}
    </fieldset>
  );
}
