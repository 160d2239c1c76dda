import { useEffect, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { Room } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Status } from '#web/ui/status.tsx';
import styles from './persona.module.css';

/** Rooms for which this tab has shown the offer. */
const roomsWithOffer = new WeakSet<Room>();

/** After the first message of a member without a name, offers once to choose one. CHAT-61 */
export function NameOffer({ room, onChoose }: { room: Room; onChoose: () => void }) {
  const [isShown, setIsShown] = useState(false);
  useEffect(() => {
    let isNewcomer = false;
    const check = () => {
      const { state, newest, me, personas, hasAppeared } = room.getSnapshot();
      if (state !== 'ready' || me === null) return;
      if (personas.get(me)?.anonymousName !== defaultName) return setIsShown(false);
      const hasPosted = newest.some(({ memberId }) => memberId === me);
      if (isNewcomer && hasPosted && !roomsWithOffer.has(room)) {
        roomsWithOffer.add(room);
        setIsShown(true);
      }
      isNewcomer = !hasAppeared && !hasPosted;
    };
    check();
    return room.subscribe(check);
  }, [room]);
  return (
    <Status>
      {isShown && (
        <div className={styles.offer}>
          <p>Others see you as {defaultName}.</p>
          <div>
            <Button
              variant="plain"
              onClick={() => {
                setIsShown(false);
                onChoose();
              }}
            >
              Choose a name
            </Button>
            <Button variant="plain" onClick={() => setIsShown(false)}>
              Not now
            </Button>
          </div>
        </div>
      )}
    </Status>
  );
}
