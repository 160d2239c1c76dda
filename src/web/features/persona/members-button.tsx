import { useState } from 'react';
import type { Persona } from '#contract/entities.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { keepTextFocus } from '#web/ui/use-input-modality.ts';

const membersDialog = createPreloadedModule(() => import('./members-dialog.tsx'));

interface Props {
  classId: string;
  label: string;
  room: Room;
  /** Opens the form that reports a person. */
  onReport: (persona: Persona) => void;
}

/** Header button that lists the personas in the room. */
export function MembersButton(props: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <IconButton
        icon="people"
        label={`People in ${props.label}`}
        aria-haspopup="dialog"
        onMouseDown={keepTextFocus}
        onClick={() => setIsOpen(true)}
      />
      {isOpen && (
        <OnDemand code={membersDialog} onFailure={close}>
          {({ MembersDialog }) => <MembersDialog {...props} onClose={close} />}
        </OnDemand>
      )}
    </>
  );
}
