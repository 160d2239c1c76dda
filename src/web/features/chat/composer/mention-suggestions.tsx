import type { Persona } from '#contract/entities.ts';
import { compareText } from '#contract/text-order.ts';
import { toSpokenName } from '#web/format.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { findTags } from '#web/ui/persona-tag.ts';
import { StaffBadge } from '#web/ui/staff-badge.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { Listbox } from '#web/ui/listbox.tsx';
import styles from './mention-suggestions.module.css';

export interface Suggestions {
  id: string;
  people: readonly Persona[];
  /** The index of the suggestion that Enter chooses. Null: Enter chooses none. */
  active: number | null;
  onActive: (index: number) => void;
  onChoose: (persona: Persona) => void;
}

/** The members that the typed name may mean. The text field refers to the active one. */
export function MentionSuggestions({
  suggestions,
  className,
}: {
  suggestions: Suggestions;
  className?: string | undefined;
}) {
  const { id, people, active, onActive, onChoose } = suggestions;
  const tags = findTags(people.toSorted((a, b) => compareText(a.anonymousName, b.anonymousName)));
  const count = people.length === 1 ? '1 person' : `${people.length} people`;
  return (
    <>
      <VisuallyHidden>
        <span role="status">
          {people.length > 0 && `${count} to mention. Use the arrow keys to choose.`}
        </span>
      </VisuallyHidden>
      {people.length > 0 && (
        <Listbox
          id={id}
          className={className}
          label="People to mention"
          options={people.map((persona) => {
            const tag = tags.get(persona.memberId);
            return {
              key: persona.memberId,
              label: toSpokenName(persona, tag),
              content: (
                <>
                  <PersonaIcon seed={persona.icon} size={24} />
                  <bdi className={styles.name} translate="no">
                    {persona.anonymousName}
                  </bdi>
                  {tag && <span className={styles.tag}>{tag}</span>}
                  <StaffBadge persona={persona} />
                </>
              ),
            };
          })}
          activeIndex={active}
          onActivate={onActive}
          onChoose={(index) => {
            const persona = people[index];
            if (persona) onChoose(persona);
          }}
        />
      )}
    </>
  );
}
