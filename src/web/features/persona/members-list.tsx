import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { findTags, toShownName } from '#contract/persona-name.ts';
import { compareText } from '#contract/text-order.ts';
import { isNameMatch, listMembers } from '#web/data/members.ts';
import { type PersonOptions, usePersonItems } from '#web/data/person-items.ts';
import { isOwnPersona } from '#web/sync/room/room.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import styles from './persona.module.css';

type Props = Omit<PersonOptions, 'persona'>;

/** The personas of a class: how many, a search in their names, and a menu for each. */
export function MembersList({ classId, room, onMention, onReport }: Props): ReactNode {
  const [query, setQuery] = useState('');
  // Never cached, because the list changes without a notification.
  const members = useQuery({
    queryKey: ['class', classId, 'members'],
    queryFn: () => listMembers(classId),
    staleTime: 0,
    gcTime: 0,
  });
  if (members.isPending) return <MembersSkeleton />;
  if (!members.data) return <QueryFailure className="stack-m start" query={members} />;
  const { me, personas } = members.data;
  const { staff } = room.getSnapshot();
  const shownPersonas = personas
    .filter((persona) => isNameMatch(persona, query.trim()))
    .toSorted((a, b) => compareText(toShownName(a), toShownName(b)));
  const tags = findTags(new Map(personas.map((persona) => [persona.memberId, persona])));
  return (
    <div className="stack-m">
      <TextField
        label={getText('persona.members.search')}
        type="search"
        dir="auto"
        maxLength={limits.personaName}
        autoComplete="off"
        spellCheck={false}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
      />
      <p className="meta" role="status">
        {toCount(shownPersonas.length, personas.length)}
      </p>
      <ul aria-label={getText('persona.members.label')}>
        {shownPersonas.map((persona) => (
          <Member
            key={persona.memberId}
            classId={classId}
            persona={persona}
            tag={tags.get(persona.memberId)}
            isMine={isOwnPersona({ me: me.memberId, staff }, persona.memberId)}
            room={room}
            onMention={onMention}
            onReport={onReport}
          />
        ))}
      </ul>
      <p className="meta">{getText('persona.members.note')}</p>
    </div>
  );
}

function toCount(shownCount: number, count: number): string {
  return shownCount === count
    ? getText('persona.members.count', { count })
    : getText('persona.members.shownCount', { shownCount, count });
}

function MembersSkeleton() {
  return (
    <div role="status" aria-label={getText('common.loadingStatus')}>
      {[96, 72, 120].map((width) => (
        <div key={width} className={styles.member}>
          <Skeleton width={24} height={24} />
          <Skeleton width={width} />
        </div>
      ))}
    </div>
  );
}

interface MemberProps extends PersonOptions {
  /** Tells the person from others with the same tile. */
  tag: string | undefined;
  isMine: boolean;
}

function Member({ tag, isMine, ...options }: MemberProps) {
  const { persona } = options;
  const { isIgnored, items } = usePersonItems(options);
  return (
    <li className={styles.member}>
      <PersonaIcon seed={persona.icon} size={24} />
      <PersonaName persona={persona} tag={tag} />
      <PersonaKind persona={persona} isMine={isMine} />
      {isIgnored && <span className="meta">{getText('persona.members.ignored')}</span>}
      {!isMine && (
        <span className="end">
          <MenuButton
            label={getText('persona.options', { name: toSpokenName(persona, tag) })}
            items={items}
          />
        </span>
      )}
    </li>
  );
}
