import type { Persona } from '#contract/entities.ts';
import { isUnnamed, toShownName } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { toPersonaLook } from './persona-look.ts';
import { StaffBadge } from './staff-badge.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

interface NameProps {
  persona: Pick<Persona, 'anonymousName' | 'icon'>;
  /** Follows the name of a tile that others have, too. */
  tag?: string | undefined;
  className?: string | undefined;
}

/** The name of a member in the hue of the tile. */
export function PersonaName({ persona, tag, className = '' }: NameProps) {
  const name = tag ? `${toShownName(persona)} ${tag}` : toShownName(persona);
  return (
    <bdi
      className={`truncate ink ${className}`}
      translate="no"
      title={name}
      style={{ '--hue': toPersonaLook(persona.icon).hue }}
    >
      {name}
    </bdi>
  );
}

interface KindProps {
  persona: Pick<Persona, 'anonymousName' | 'staff'>;
  isMine?: boolean;
}

/** What follows the name: the badge of staff, 'you', or that the name is not a chosen one. */
export function PersonaKind({ persona, isMine = false }: KindProps) {
  const other = isUnnamed(persona) ? getText('common.anonymous') : null;
  const kind = isMine ? getText('ui.persona.you') : other;
  return (
    <>
      <StaffBadge persona={persona} />
      {kind && (
        <span className="time">
          <VisuallyHidden>, </VisuallyHidden>
          {kind}
        </span>
      )}
    </>
  );
}
