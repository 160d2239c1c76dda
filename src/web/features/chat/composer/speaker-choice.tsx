import { useSyncExternalStore } from 'react';
import type { Persona } from '#contract/entities.ts';
import { createUnknownPersona, toShownName } from '#contract/persona-name.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import type { Speaker } from '#web/sync/room/speaker.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind } from '#web/ui/persona-name.tsx';
import styles from './speaker-choice.module.css';

interface Props {
  room: Room;
  view: RoomView;
  /** Called after a choice with the pointer. */
  onPointerChoice: () => void;
}

/** Chooses the persona of the next message. Shown if the viewer may speak as staff, or could when the draft began. */
export function SpeakerChoice({ room, view, onPointerChoice: onChooseByPointer }: Props) {
  const { staff, speaker, personas, me } = view;
  const { pictures, reading } = useSyncExternalStore(
    room.staging.subscribe,
    room.staging.getSnapshot,
  );
  const isFixed = pictures.length > 0 || reading;
  const maySpeak = staff?.maySpeak === true;
  const self = personas.get(me ?? '') ?? createUnknownPersona(me ?? '');
  const choices: [Speaker, Persona][] = [['self', self]];
  if (staff && maySpeak) choices.push(['staff', staff.persona]);
  const mustChoose = speaker === 'unset' || (speaker === 'staff' && !maySpeak);
  return (
    <fieldset className={styles.choice} data-must-choose={mustChoose || undefined}>
      <legend className={styles.legend}>{mustChoose ? 'Speak next as:' : 'Speaking as:'}</legend>
      {choices.map(([value, persona]) => (
        <label key={value} className={styles.option}>
          <input
            type="radio"
            name="speaker"
            value={value}
            checked={speaker === value}
            disabled={isFixed}
            onChange={() => room.speakAs(value)}
            onPointerUp={onChooseByPointer}
          />
          <PersonaIcon seed={persona.icon} size={18} />
          <bdi className={styles.name} translate="no">
            {toShownName(persona)}
          </bdi>
          <PersonaKind persona={persona} />
        </label>
      ))}
      <p role="status" className={styles.note}>
        {toNote(speaker, { maySpeak, isFixed })}
      </p>
    </fieldset>
  );
}

function toNote(
  speaker: Speaker,
  { maySpeak, isFixed }: { maySpeak: boolean; isFixed: boolean },
): string | null {
  if (!maySpeak) return 'You cannot speak as staff here now.';
  if (isFixed) return 'To change it, remove the pictures first.';
  if (speaker === 'unset') return 'Choose before you send.';
  return speaker === 'staff' ? 'The class sees your staff name.' : null;
}
