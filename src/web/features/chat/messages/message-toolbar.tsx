import type { ButtonHTMLAttributes, KeyboardEvent } from 'react';
import { type Emoji, emojis } from '#contract/emojis.ts';
import { getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { mirrorArrow } from '#web/ui/shortcut-keys.ts';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import type { Anchor } from '#web/ui/menu.tsx';
import { ReactionFigure, reactionNames } from '../reactions/reaction-figure.tsx';
import styles from './message-toolbar.module.css';

interface Props {
  /**
   * Whether to show all tools. Otherwise only the menu button is present, for keyboard and screen reader
   * users.
   */
  showsAll: boolean;
  /** Whether the tools are a tab stop: true if the message has the focus. */
  tabbable: boolean;
  menuOpen: boolean;
  ownReaction: Emoji | undefined;
  /** Null on the viewer's own messages, because members cannot react to their own messages. */
  onReact: ((emoji: Emoji) => void) | null;
  /** Null in a class that has ended. */
  onReply: (() => void) | null;
  /** Null on messages of others. */
  onEdit: (() => void) | null;
  onOpenMenu: (anchor: Anchor) => void;
}

/** The tools at the corner of a message: reactions or edit, reply and the menu. */
export function MessageToolbar(props: Props) {
  const {
    showsAll,
    tabbable,
    menuOpen,
    ownReaction,
    onReact,
    onReply,
    onEdit,
    onOpenMenu: onMenu,
  } = props;
  return (
    <div
      className={styles.tools}
      role="toolbar"
      tabIndex={-1}
      aria-label={getText('chat.toolbar.label')}
      onKeyDown={moveFocus}
    >
      {showsAll &&
        onReact &&
        emojis.map((emoji) => (
          <Tool
            key={emoji}
            label={reactionNames[emoji]}
            aria-pressed={emoji === ownReaction}
            onClick={() => onReact(emoji)}
          >
            <ReactionFigure emoji={emoji} />
          </Tool>
        ))}
      {showsAll && onEdit && (
        <Tool label={getText('common.edit')} onClick={onEdit}>
          <Icon name="edit" size={18} />
        </Tool>
      )}
      {showsAll && onReply && (
        <Tool label={getText('chat.menu.reply')} onClick={onReply}>
          <Icon name="reply" size={18} />
        </Tool>
      )}
      <Tool
        label={getText('chat.toolbar.more')}
        aria-haspopup="menu"
        aria-expanded={menuOpen}
        // The tab stop of the toolbar, because it is always there. Arrow keys move between the buttons.
        tabIndex={tabbable ? 0 : -1}
        onClick={({ currentTarget, detail }) => {
          if (detail === 0) currentTarget.focus({ preventScroll: true });
          onMenu(currentTarget.getBoundingClientRect());
        }}
      >
        <Icon name="more" size={18} />
      </Tool>
    </div>
  );
}

function Tool({
  label,
  ...rest
}: { label: string } & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'className'>) {
  return (
    <button
      tabIndex={-1}
      {...rest}
      type="button"
      className={styles.tool}
      aria-label={label}
      title={label}
      onMouseDown={keepTextFocus}
    />
  );
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[mirrorArrow(event.key)];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const buttons = listShownTools(event.currentTarget);
  const index = buttons.findIndex((button) => button === document.activeElement);
  buttons.at((index + step) % buttons.length)?.focus();
}

/** A narrow room has no space for some tools. */
export function listShownTools(parent: Element): HTMLButtonElement[] {
  const tools = parent.querySelectorAll<HTMLButtonElement>('[role=toolbar] button');
  return [...tools].filter((tool) => tool.checkVisibility());
}
