import { useId } from 'react';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { personaWords } from '#web/ui/persona-words.ts';
import styles from './persona.module.css';

interface Props {
  seeds: readonly string[];
  chosen: string;
  onChoose: (seed: string) => void;
}

/** Radio buttons, so that the arrow keys go from one to the next. */
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
