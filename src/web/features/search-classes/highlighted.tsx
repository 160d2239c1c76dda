import { highlightedParts } from './highlighted-parts.ts';
import styles from './class-hit.module.css';

interface Props {
  text: string;
  /** The same with what was found marked, as the index gives it. */
  marked: string | undefined;
  upperCase?: boolean;
}

/** Marks are shown only where they are marks of this very text. */
export function Highlighted({ text, marked, upperCase = false }: Props) {
  const shown = (part: string) => (upperCase ? part.toUpperCase() : part);
  const parts = highlightedParts(marked ?? text);
  if (parts.map((part) => part.text).join('') !== text) return shown(text);
  return parts.map((part, i) =>
    part.found ? (
      <mark className={styles.found} key={i}>
        {shown(part.text)}
      </mark>
    ) : (
      shown(part.text)
    ),
  );
}
