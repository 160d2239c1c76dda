import type { KeyboardEvent, MouseEvent } from 'react';
import { type Emoji, emojis } from '#contract/emojis.ts';
import { Icon } from '#web/ui/icon.tsx';
import type { Anchor } from '#web/ui/menu.tsx';
import { ReactionFigure, reactionNames } from '../reactions/reaction-figure.tsx';
import styles from './message-toolbar.module.css';

interface Props {
  /**
   * Whether to show all tools. Otherwise only the menu button is present, for keyboard and screen reader
   * users.
   */
  whole: boolean;
  /** Whether the tools are a tab stop: true if the message has the focus. */
  tabbable: boolean;
  menuOpen: boolean;
  mine: Emoji | undefined;
  /** Null on the viewer's own messages, because members cannot react to their own messages. */
  onReact: ((emoji: Emoji) => void) | null;
  /** Null in a class that has ended. */
  onReply: (() => void) | null;
  /** Null on messages of others. */
  onEdit: (() => void) | null;
  onMenu: (at: Anchor) => void;
}

/** The tools at the corner of a message: reactions or edit, reply and the menu. */
export function MessageToolbar(props: Props) {
  const { whole, tabbable, menuOpen, mine, onReact, onReply, onEdit, onMenu } = props;
  // The toolbar is one tab stop, on its first button. Arrow keys move between the buttons.
  const tabIndex = (first: boolean) => (tabbable && first ? 0 : -1);
  return (
    <div
      className={styles.tools}
      role="toolbar"
      tabIndex={-1}
      aria-label="Message tools"
      onKeyDown={moveInside}
    >
      {whole &&
        onReact &&
        emojis.map((emoji, n) => (
          <button
            key={emoji}
            type="button"
            className={styles.tool}
            aria-label={reactionNames[emoji]}
            title={reactionNames[emoji]}
            aria-pressed={emoji === mine}
            tabIndex={tabIndex(n === 0)}
            onClick={() => onReact(emoji)}
          >
            <ReactionFigure emoji={emoji} />
          </button>
        ))}
      {whole && onEdit && (
        <button
          type="button"
          className={styles.tool}
          aria-label="Edit"
          title="Edit"
          tabIndex={tabIndex(true)}
          onClick={onEdit}
        >
          <Icon name="edit" size={18} />
        </button>
      )}
      {whole && onReply && (
        <button
          type="button"
          className={styles.tool}
          aria-label="Reply"
          title="Reply"
          tabIndex={-1}
          onClick={onReply}
        >
          <Icon name="reply" size={18} />
        </button>
      )}
      <button
        type="button"
        className={styles.tool}
        aria-label="More"
        title="More"
        aria-haspopup="menu"
        aria-expanded={menuOpen}
        tabIndex={tabIndex(!onReact && !onEdit)}
        onClick={({ currentTarget }: MouseEvent<HTMLButtonElement>) => {
          currentTarget.focus({ preventScroll: true });
          onMenu(currentTarget.getBoundingClientRect());
        }}
      >
        <Icon name="more" size={18} />
      </button>
    </div>
  );
}

function moveInside(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const all = [...event.currentTarget.querySelectorAll('button')];
  const at = all.findIndex((one) => one === document.activeElement);
  all.at((at + step) % all.length)?.focus();
}
