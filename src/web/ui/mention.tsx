// Mentions in shown messages: `@Name`, with the member's current name.
import { createContext, type ReactNode, use, useMemo } from 'react';
import type { Persona } from '#contract/entities.ts';
import { splitMentions } from '#contract/mentions.ts';
import { toMentionLabel } from '#web/mention-names.ts';
import { getText } from '#web/get-text.ts';
import { PersonaIcon } from './persona-icon.tsx';
import { toPersonaLook } from './persona-look.ts';
import { VisuallyHidden } from './visually-hidden.tsx';
import styles from './mention.module.css';

type Personas = ReadonlyMap<string, Persona>;

interface Viewer {
  /** The viewer's memberId. */
  me: string | null;
  /** The persona with which the viewer speaks as staff. */
  staff: { persona: Pick<Persona, 'memberId'> } | null;
}

interface MentionContextValue extends Viewer {
  personas: Personas;
}

const MentionContext = createContext<MentionContextValue>({
  personas: new Map(),
  me: null,
  staff: null,
});

interface Props {
  view: Viewer & { personas: Personas };
  children: ReactNode;
}

/** Gives the mentions of a room their names. */
export function MentionProvider({ view: { personas, me, staff }, children }: Props) {
  const value = useMemo(() => ({ personas, me, staff }), [personas, me, staff]);
  return <MentionContext value={value}>{children}</MentionContext>;
}

export function useMentionNames(): Personas {
  return use(MentionContext).personas;
}

interface MentionProps {
  memberId: string;
  /** The mention has no icon. */
  isPlain?: boolean | undefined;
}

export function Mention({ memberId, isPlain }: MentionProps) {
  const { personas, me, staff } = use(MentionContext);
  const persona = personas.get(memberId);
  if (!persona) return <span className="muted">{toMentionLabel(personas, memberId)}</span>;
  const isMe = memberId === me || memberId === staff?.persona.memberId;
  return (
    <bdi
      translate="no"
      className={isMe ? `${styles.mention} ${styles.me}` : styles.mention}
      style={{ '--hue': toPersonaLook(persona.icon).hue }}
    >
      {!isPlain && <PersonaIcon seed={persona.icon} size={16} />}
      {toMentionLabel(personas, memberId)}
      {isMe && <VisuallyHidden> {getText('ui.mention.you')}</VisuallyHidden>}
    </bdi>
  );
}

/** Renders the mentions of code, or of a text without Markdown, without icons. */
export function renderMentions(text: string): ReactNode {
  return splitMentions(text).map((part, index) =>
    'text' in part ? part.text : <Mention key={index} memberId={part.memberId} isPlain />,
  );
}
