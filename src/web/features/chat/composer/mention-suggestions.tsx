import type { Persona } from '#contract/entities.ts';
import { toSpokenName } from '#web/format.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { Listbox } from '#web/ui/listbox.tsx';
import styles from './mention-suggestions.module.css';

export interface Suggestions {
  id: string;
  people: readonly Persona[];
  tags: ReadonlyMap<string, string>;
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
  const { id, people, tags, active, onActive, onChoose } = suggestions;
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
                  <PersonaName persona={persona} tag={tag} />
                  <PersonaKind persona={persona} />
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

/** Says before the message is sent that a typed name mentions no one. */
export function UnreachedHint({ unreachedName }: { unreachedName: string | null }) {
  return (
    <p role="status" className={styles.unreached}>
      {unreachedName !== null && `${unreachedName} will notify no one. Pick a name after the @.`}
    </p>
  );
}
