import { useEffect, useState } from 'react';
import type { Persona } from '#contract/entities.ts';
import { getShownName } from '#contract/persona-name.ts';
import { mentionInDraft } from '#web/data/drafts.ts';
import type { Room } from '#web/sync/room/room.ts';
import { focusMessageField, type SidePanel } from './use-side-panel.ts';

/** Appends a mention of a person to the text in the message field, and focuses the field. A panel over the room closes. */
export function useMention(
  classId: string,
  room: Room,
  panel: SidePanel,
): (persona: Persona) => void {
  const [mentionCount, setMentionCount] = useState(0);
  // By then the menu has returned the focus, and a new field shows the draft.
  useEffect(() => {
    if (mentionCount > 0) focusMessageField();
  }, [mentionCount]);
  return (persona) => {
    room.addPersona(persona);
    const { memberId } = persona;
    const name = getShownName(room.getSnapshot().personas, memberId);
    mentionInDraft(classId, { memberId, name });
    if (panel.shown && panel.coversRoom) panel.closeToComposer();
    else setMentionCount((count) => count + 1);
  };
}
