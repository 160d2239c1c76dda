import type { Persona } from '#contract/entities.ts';
import { createUnknownPersona, toShownName } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import type { Speaker } from '#web/sync/room/speaker.ts';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './speaker-choice.module.css';

interface Props {
  room: Room;
  view: RoomView;
  /** Called after a choice that is final. The arrow keys still move between the names. */
  onChosen: () => void;
}

/** Chooses the persona of the next messages. Shown if the viewer may speak as staff, or could when the draft began. */
export function SpeakerChoice({ room, view, onChosen }: Props) {
  const { staff, speaker, personas, me } = view;
  const { pictures, reading } = useStore(room.staging);
  const isFixed = pictures.length > 0 || reading;
  const maySpeak = staff?.maySpeak === true;
  const self = personas.get(me ?? '') ?? createUnknownPersona(me ?? '');
  const choices: ['self' | 'staff', Persona][] = [['self', self]];
  if (staff && maySpeak) choices.push(['staff', staff.persona]);
  const mustChoose = speaker === 'unset' || (speaker === 'staff' && !maySpeak);
  return (
    <fieldset
      className={styles.choice}
      aria-label={getText('chat.speaker.label')}
      data-must-choose={mustChoose || undefined}
    >
      <p role="status" className={styles.note}>
        {toNote(speaker, { maySpeak, isFixed })}
      </p>
      <div className={styles.options}>
        {choices.map(([value, persona]) => (
          <label key={value} className={styles.option}>
            <input
              type="radio"
              name="speaker"
              value={value}
              checked={speaker === value}
              disabled={isFixed}
              onChange={() => room.speakAs(value)}
              onClick={({ detail }) => {
                // A click of the arrow keys has no detail.
                if (detail > 0) onChosen();
              }}
              onKeyDown={(event) => {
                if (event.key !== ' ' && event.key !== 'Enter') return;
                event.preventDefault();
                room.speakAs(value);
                onChosen();
              }}
            />
            <PersonaIcon seed={persona.icon} size={20} />
            <bdi className="truncate" translate="no">
              {toShownName(persona)}
            </bdi>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function toNote(
  speaker: Speaker,
  { maySpeak, isFixed }: { maySpeak: boolean; isFixed: boolean },
): string {
  if (!maySpeak) return getText('chat.speaker.notAllowed');
  if (isFixed) return getText('chat.speaker.fixed');
  return speaker === 'unset' ? getText('chat.speaker.choose') : getText('chat.speaker.label');
}
