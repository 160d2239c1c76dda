// The member's persona in a class: the button in the header, the dialog that changes name and icon, the moment
// after joining, and the list of the other personas. A persona is valid in one class only, so
// nothing here reads the persona of another class, and icons are only those that belong to the memberId.
import type { Room } from '#web/sync/room/room.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { findTags, isUnnamed } from '#contract/persona-name.ts';
import { toSpokenName } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaName } from '#web/ui/persona-name.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';
import { useStore } from '#web/use-store.ts';
import styles from './persona.module.css';

const personaDialog = createPreloadedModule(() => import('./persona-dialog.tsx'));

const you = getText('ui.persona.you');

interface Props {
  classId: string;
  label: string;
  room: Room;
  /** The dialog is open. */
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
}

/** Header button that shows and edits the viewer's persona in this room. */
export function PersonaButton({ classId, label, room, isOpen, onOpen }: Props) {
  const { me: id, personas, hasAppeared } = useStore(room);
  const me = id === null ? undefined : personas.get(id);
  if (!me) return null;
  const tag = findTags(personas).get(me.memberId);
  const takenIcons = [...personas.values()]
    .filter((persona) => persona !== me)
    .map(({ icon }) => icon);
  return (
    <>
      <button
        type="button"
        className={styles.button}
        aria-haspopup="dialog"
        onMouseDown={keepTextFocus}
        aria-label={getText('persona.button.label', { name: toSpokenName(me, tag) })}
        title={getText('persona.button.title')}
        onClick={() => onOpen(true)}
      >
        <PersonaIcon seed={me.icon} size={28} />
        {/* The label says what is below the name. */}
        <span
          className={styles.mine}
          data-kind={isUnnamed(me) ? `${you} · ${getText('common.anonymous')}` : you}
        >
          <PersonaName persona={me} tag={tag} />
        </span>
      </button>
      {isOpen && (
        <OnDemand code={personaDialog} onFailure={() => onOpen(false)}>
          {({ PersonaDialog }) => (
            <PersonaDialog
              classId={classId}
              label={label}
              me={me}
              onChooseIcon={hasAppeared ? null : room.chooseIcon}
              takenIcons={takenIcons}
              onClose={() => onOpen(false)}
            />
          )}
        </OnDemand>
      )}
    </>
  );
}
