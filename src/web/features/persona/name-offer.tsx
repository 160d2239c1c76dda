import { useEffect, useState } from 'react';
import { isUnnamed } from '#contract/persona-name.ts';
import { toSpokenName } from '#web/format.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Status } from '#web/ui/status.tsx';
import styles from './persona.module.css';

/** Rooms for which this tab has shown the offer. */
const roomsWithOffer = new WeakSet<Room>();

/** After the first message of a member without a name, offers once to choose one. CHAT-61 */
export function NameOffer({ room, onChoose }: { room: Room; onChoose: () => void }) {
  const [shownName, setShownName] = useState<string | null>(null);
  useEffect(() => {
    let isNewcomer = false;
    const check = () => {
      const { state, newest, me, personas, hasAppeared } = room.getSnapshot();
      if (state !== 'ready' || me === null) return;
      const persona = personas.get(me);
      if (!persona || !isUnnamed(persona)) return setShownName(null);
      const hasPosted = newest.some(({ memberId }) => memberId === me);
      if (isNewcomer && hasPosted && !roomsWithOffer.has(room)) {
        roomsWithOffer.add(room);
        setShownName(toSpokenName(persona));
      }
      isNewcomer = !hasAppeared && !hasPosted;
    };
    check();
    return room.subscribe(check);
  }, [room]);
  return (
    <Status>
      {shownName !== null && (
        <div className={styles.offer}>
          <p>Others see you as {shownName}.</p>
          <div>
            <Button
              variant="plain"
              onClick={() => {
                setShownName(null);
                onChoose();
              }}
            >
              Choose a name
            </Button>
            <Button variant="plain" onClick={() => setShownName(null)}>
              Not now
            </Button>
          </div>
        </div>
      )}
    </Status>
  );
}
