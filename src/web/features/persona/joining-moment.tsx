// Who a newcomer will be in a class: a dialog right after joining, and until the first message the same offer above the
// message field. No one else learns of the choice before that message.
import { useEffect, useId, useRef, useState } from 'react';
import type { Persona } from '#contract/entities.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { toTileName } from '#contract/persona-name.ts';
import { getText } from '#web/get-text.ts';
import { toPersonaLook } from '#web/ui/persona-look.ts';
import { useBackToClose } from '#web/ui/use-back-to-close.ts';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import { useStore } from '#web/use-store.ts';
import { listIconChoices } from './icon-choice.tsx';
import styles from './joining-moment.module.css';

interface Props {
  label: string;
  room: Room;
  /** Opens the dialog for a name of one's own. */
  onChooseName: () => void;
}

const offerCount = 5;

export function JoiningMoment({ onClose, ...props }: Props & { onClose: () => void }) {
  const view = useStore(props.room);
  const newcomer = findNewcomer(view);
  const id = useId();
  const dialog = useNativeDialog(onClose);
  useBackToClose(onClose);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id}>
      {newcomer ? (
        <Choice {...props} id={id} view={view} newcomer={newcomer} onClose={onClose} />
      ) : (
        <p id={id} className="muted">
          {getText('persona.youAre.loading', { className: props.label })}
        </p>
      )}
    </dialog>
  );
}

interface ChoiceProps extends Props {
  id: string;
  view: RoomView;
  newcomer: Persona;
  onClose: () => void;
}

function Choice({ id, label, room, view, newcomer, onChooseName, onClose }: ChoiceProps) {
  const { icons, shuffle } = useIconOffers(view, newcomer);
  const [chosenIcon, setChosenIcon] = useState(newcomer.icon);
  const name = toTileName(chosenIcon);
  const content = useRef<HTMLDivElement>(null);
  // The dialog has opened before the room knew the member.
  useEffect(() => content.current?.querySelector<HTMLElement>('[data-first-focus]')?.focus(), []);
  const start = () => {
    room.chooseIcon(chosenIcon);
    onClose();
  };
  return (
    <div ref={content} style={{ '--hue': toPersonaLook(chosenIcon).hue }}>
      <div className={styles.stage}>
        <PersonaIcon key={chosenIcon} seed={chosenIcon} size={96} />
        <fieldset className={styles.offers} aria-label={getText('persona.icon')}>
          {icons.map((icon) => (
            <label key={icon} className={styles.offer}>
              <input
                type="radio"
                name={id}
                aria-label={toTileName(icon)}
                checked={icon === chosenIcon}
                onChange={() => setChosenIcon(icon)}
              />
              <PersonaIcon seed={icon} size={28} />
            </label>
          ))}
        </fieldset>
      </div>
      <h2 id={id} className={styles.lead}>
        {getText('persona.youAre', { className: label })}
      </h2>
      <p className={styles.name} role="status">
        {name}
      </p>
      <p className="meta">{getText('common.anonymous')}</p>
      <p className={styles.note}>{getText('persona.joining.note')}</p>
      <div className={styles.actions}>
        <Button variant="primary" data-first-focus onClick={start}>
          {getText('persona.joining.start', { name })}
        </Button>
        <Button onClick={() => setChosenIcon(shuffle())}>
          <Icon name="shuffle" size={16} />
          {getText('persona.joining.shuffle')}
        </Button>
        <Button
          onClick={() => {
            start();
            onChooseName();
          }}
        >
          <Icon name="edit" size={16} />
          {getText('persona.joining.chooseName')}
        </Button>
      </div>
    </div>
  );
}

/** What the dialog offers, above the message field of a newcomer who skipped it. */
export function Introduction({ label, room, onChooseName }: Props) {
  const view = useStore(room);
  const newcomer = findNewcomer(view);
  const [hasShuffled, setHasShuffled] = useState(false);
  if (!newcomer || view.speaker !== 'self' || (view.isIconChosen && !hasShuffled)) return null;
  return (
    <section
      className={styles.introduction}
      aria-label={getText('persona.title', { className: label })}
    >
      <PersonaIcon seed={newcomer.icon} size={48} />
      <div>
        <p className="meta">{getText('persona.youAre', { className: label })}</p>
        <p className={styles.introducedName} role="status">
          <span className="ink" style={{ '--hue': toPersonaLook(newcomer.icon).hue }}>
            {toTileName(newcomer.icon)}
          </span>{' '}
          <span className="time">{getText('common.anonymous')}</span>
        </p>
      </div>
      <Offers
        view={view}
        newcomer={newcomer}
        onShuffle={(icon) => {
          setHasShuffled(true);
          room.chooseIcon(icon);
        }}
        onChooseName={onChooseName}
      />
    </section>
  );
}

interface OffersProps {
  view: RoomView;
  newcomer: Persona;
  onShuffle: (icon: string) => void;
  onChooseName: () => void;
}

function Offers({ view, newcomer, onShuffle, onChooseName }: OffersProps) {
  const { shuffle } = useIconOffers(view, newcomer);
  return (
    <div className={styles.offersOfName}>
      <Button onClick={() => onShuffle(shuffle())}>
        <Icon name="shuffle" size={16} />
        {getText('persona.joining.shuffle')}
      </Button>
      <Button onClick={onChooseName}>{getText('persona.joining.chooseName')}</Button>
    </div>
  );
}

/** The viewer's persona, if no one else has seen it or is about to. */
function findNewcomer({ state, me, personas, hasAppeared, messages }: RoomView): Persona | null {
  const isNewcomer =
    state === 'ready' && !hasAppeared && !messages.some(({ memberId }) => memberId === me);
  return (isNewcomer && personas.get(me ?? '')) || null;
}

/** Icons that no one in the room has, a few at a time. They are listed once, so that others do not reorder them. */
function useIconOffers({ personas }: RoomView, { memberId, icon }: Persona) {
  const [allIcons] = useState(() => {
    const others = [...personas.values()].filter((persona) => persona.memberId !== memberId);
    return listIconChoices(
      memberId,
      icon,
      others.map((persona) => persona.icon),
    );
  });
  const [start, setStart] = useState(0);
  return {
    icons: allIcons.slice(start, start + offerCount),
    /** Offers the next icons. @returns the first of them */
    shuffle(): string {
      const next = start + 2 * offerCount > allIcons.length ? 0 : start + offerCount;
      setStart(next);
      return allIcons[next] ?? icon;
    },
  };
}
