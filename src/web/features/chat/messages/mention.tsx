// Mentions in shown messages: `@Name`, with the member's current name.
import { createContext, type ReactNode, use, useMemo } from 'react';
import { toMentionLabel, splitMentions } from '#contract/mentions.ts';
import {
  isOwnPersona,
  isViewerMentioned,
  type RoomMessage,
  type RoomView,
} from '#web/sync/room/room.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { findTags } from '#web/ui/persona-tag.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './mention.module.css';

type Viewer = Pick<RoomView, 'me' | 'staff'>;

interface MentionContextValue extends Viewer, Pick<RoomView, 'personas'> {
  /** Names that several members have. Mentions with such a name show an icon. */
  sharedNames: ReadonlySet<string>;
  /** The tags of members who look alike, by memberId. */
  tags: ReadonlyMap<string, string>;
}

const MentionContext = createContext<MentionContextValue>({
  personas: new Map(),
  me: null,
  staff: null,
  sharedNames: new Set(),
  tags: new Map(),
});

interface Props {
  view: Viewer & Pick<RoomView, 'personas'>;
  children: ReactNode;
}

/** Gives the mentions of a room their names. */
export function MentionProvider({ view: { personas, me, staff }, children }: Props) {
  const value = useMemo(() => {
    const sharedNames = findSharedNames(personas);
    // In a text no one stands next to another, so only those who look alike have a tag.
    const tags = findTags([...personas.values()].flatMap((persona) => [persona, undefined]));
    return { personas, me, staff, sharedNames, tags };
  }, [personas, me, staff]);
  return <MentionContext value={value}>{children}</MentionContext>;
}

function findSharedNames(personas: RoomView['personas']): ReadonlySet<string> {
  const seenNames = new Set<string>();
  const sharedNames = new Set<string>();
  for (const { anonymousName } of personas.values()) {
    if (seenNames.has(anonymousName)) sharedNames.add(anonymousName);
    else seenNames.add(anonymousName);
  }
  return sharedNames;
}

/** Whether another member mentions the viewer. */
export function hasMentionOfViewer(
  { text, memberId }: Pick<RoomMessage, 'text' | 'memberId'>,
  viewer: Viewer,
): boolean {
  return !isOwnPersona(viewer, memberId) && isViewerMentioned(viewer, text);
}

export function useMentionNames(): RoomView['personas'] {
  return use(MentionContext).personas;
}

interface MentionProps {
  memberId: string;
  /** The mention has no icon. */
  isPlain?: boolean | undefined;
}

export function Mention({ memberId, isPlain }: MentionProps) {
  const { personas, sharedNames, tags, ...viewer } = use(MentionContext);
  const persona = personas.get(memberId);
  if (!persona) return <span className={styles.unknown}>{toMentionLabel(undefined)}</span>;
  const isMe = isOwnPersona(viewer, memberId);
  return (
    <bdi
      className={isMe ? `${styles.mention} ${styles.me}` : styles.mention}
      style={{ '--hue': toPersonaLook(persona.icon).hue }}
    >
      {!isPlain && sharedNames.has(persona.anonymousName) && (
        <PersonaIcon seed={persona.icon} size={16} />
      )}
      {toMentionLabel(persona)}
      {tags.has(memberId) && ` ${tags.get(memberId)}`}
      {isMe && <VisuallyHidden> (you)</VisuallyHidden>}
    </bdi>
  );
}

/** Renders the mentions of code, or of a text without Markdown, without icons. */
export function renderMentions(text: string): ReactNode {
  return splitMentions(text).map((part, index) =>
    'text' in part ? part.text : <Mention key={index} memberId={part.memberId} isPlain />,
  );
}
