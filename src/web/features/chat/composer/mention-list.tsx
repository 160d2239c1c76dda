import type { Persona } from '#contract/entities.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Listbox } from '#web/ui/listbox.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';

export interface Suggestions {
  id: string;
  people: readonly Persona[];
  tags: ReadonlyMap<string, string>;
  /** The index of the suggestion that Enter chooses. Null: Enter chooses none. */
  active: number | null;
  onActive: (index: number) => void;
  onChoose: (persona: Persona) => void;
}

interface Props extends Suggestions {
  className?: string | undefined;
}

/** The list of the members that the typed name may mean. */
export function MentionList(props: Props) {
  const { id, people, tags, active, onActive, onChoose, className } = props;
  return (
    <Listbox
      id={id}
      className={className}
      label={getText('chat.mentions.label')}
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
  );
}
