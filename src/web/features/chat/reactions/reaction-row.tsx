import { type Emoji, emojis } from '#contract/emojis.ts';
import { getText } from '#web/get-text.ts';
import { ReactionFigure, reactionNames } from './reaction-figure.tsx';
import styles from './reaction-row.module.css';

interface Props {
  ownReaction: Emoji | undefined;
  onPick: (emoji: Emoji) => void;
}

/** The four reactions as the first row of a message's menu. */
export function ReactionRow({ ownReaction, onPick }: Props) {
  return (
    <div className={styles.row} role="group" aria-label={getText('chat.reactions.react')}>
      {emojis.map((emoji) => (
        <button
          key={emoji}
          type="button"
          className={styles.pick}
          role="menuitemcheckbox"
          aria-checked={emoji === ownReaction}
          aria-label={reactionNames[emoji]}
          title={reactionNames[emoji]}
          tabIndex={-1}
          onClick={() => onPick(emoji)}
        >
          <ReactionFigure emoji={emoji} size={22} />
        </button>
      ))}
    </div>
  );
}
