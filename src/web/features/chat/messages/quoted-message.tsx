import type { Persona } from '#contract/entities.ts';
import { createUnknownPersona, findTags, toShownName } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { toQuoteSummary } from '#web/markup/quote-summary.ts';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import type { Quoted } from './message-rows.ts';
import { useMentionNames } from '#web/ui/mention.tsx';
import styles from './quoted-message.module.css';

interface Props {
  quoted: Quoted;
  /** The author of the quoted message, if the room holds the persona. */
  persona: Persona | undefined;
  /** The viewer ignores the author, or has hidden the message. */
  isIgnored: boolean;
  tabIndex: number;
  /** Jumps to the quoted message. */
  onJumpTo: (id: string) => void;
}

/** One line above a reply that quotes the original message. */
export function QuotedMessage({ quoted, persona, isIgnored, tabIndex, onJumpTo }: Props) {
  const names = useMentionNames();
  if (typeof quoted === 'string') {
    return (
      <p className={styles.quoted}>
        <Icon name="reply" size={16} />
        {quoted === 'unknown' ? getText('chat.quote.unknown') : getText('chat.quote.deleted')}
      </p>
    );
  }
  const { memberId, anonymousName, staff } = quoted;
  return (
    <button
      type="button"
      className={styles.quoted}
      tabIndex={tabIndex}
      onClick={() => onJumpTo(quoted.id)}
    >
      <Icon name="reply" size={16} />
      {isIgnored ? (
        getText('chat.quote.collapsed')
      ) : (
        <QuoteLine
          memberId={memberId}
          // The quote has the name of the time when it was sent.
          persona={persona ?? { memberId, anonymousName, icon: memberId, ...(staff && { staff }) }}
          tag={findTags(names).get(memberId)}
          text={toQuoteSummary(quoted, names)}
        />
      )}
    </button>
  );
}

interface QuoteLineProps {
  memberId: string;
  persona: Persona | undefined;
  /** Tells the author from others with the same tile. */
  tag?: string | undefined;
  text: string;
}

/** The author and the beginning of a message. */
export function QuoteLine({ memberId, persona, tag, text }: QuoteLineProps) {
  const author = persona ?? createUnknownPersona(memberId);
  const name = toShownName(author);
  return (
    <>
      <PersonaIcon seed={author.icon} size={20} />
      <span className={styles.line}>
        <bdi className={styles.name} translate="no">
          {tag ? `${name} ${tag}` : name}
        </bdi>{' '}
        <StaffBadge persona={author} /> <bdi className="truncate">{text}</bdi>
      </span>
    </>
  );
}
