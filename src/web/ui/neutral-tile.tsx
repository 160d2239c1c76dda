import { Icon } from './icon.tsx';
import styles from './neutral-tile.module.css';

/** The tile of a person whom nothing tells from others, not even from one time to the next. */
export function NeutralTile({ size }: { size: number }) {
  return (
    <span className={styles.tile}>
      <Icon name="profile" size={size} />
    </span>
  );
}
