import { type Emoji, emojis } from '#contract/emojis.ts';
import type { RoomMessage } from '#web/sync/room/room.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { ReactionFigure, reactionNames } from './reaction-figure.tsx';
import styles from './reaction-chips.module.css';

interface Props {
  reactions: RoomMessage['reactions'];
  ownReaction: Emoji | undefined;
  /** Null on the viewer's own messages, where chips only show counts. */
  onToggle: ((emoji: Emoji) => void) | null;
  tabIndex: number;
}

/** The count of each reaction in a fixed order, so that chips do not move under a finger. */
export function ReactionChips({ reactions, ownReaction, onToggle, tabIndex }: Props) {
  const allReactions = Object.values(reactions);
  const counts = emojis
    .map((emoji) => ({
      emoji,
      count: allReactions.filter((reaction) => reaction === emoji).length,
    }))
    .filter(({ count }) => count > 0);
  if (counts.length === 0) return null;
  return (
    <ul className={styles.chips} aria-label="Reactions">
      {counts.map(({ emoji, count }) => {
        const name = reactionNames[emoji];
        const content = (
          <>
            <ReactionFigure emoji={emoji} size={16} />
            <VisuallyHidden>{name}: </VisuallyHidden>
            {count}
          </>
        );
        return (
          <li key={emoji}>
            {onToggle ? (
              <button
                type="button"
                className={styles.chip}
                aria-pressed={emoji === ownReaction}
                tabIndex={tabIndex}
                title={emoji === ownReaction ? `${name}, including yours` : name}
                onClick={() => onToggle(emoji)}
              >
                {content}
              </button>
            ) : (
              <span className={styles.chip} title={name}>
                {content}
              </span>
            )}
          </li>
        );
      })}
    </ul>
  );
}
