import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react';
import { defaultName } from '#contract/default-name.ts';
import type { RoomMessage, RoomView } from '#web/sync/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import { timeOfDay } from '../messages/message-time.tsx';
import { EnlargedPicture } from './enlarged-picture.tsx';
import { savePicture } from './picture-file.ts';
import { usePictureZoom } from './use-picture-zoom.ts';
import styles from './picture-overlay.module.css';

interface Props {
  view: RoomView;
  /** The id of the message whose picture is enlarged. */
  id: string;
  onShow: (id: string) => void;
  onClose: () => void;
}

const zoomStep = 1.5;
const panStep = 80;

/** Shows a picture full screen, with navigation to the other loaded pictures of the room. */
export function PictureOverlay({ view, id, onShow, onClose }: Props) {
  const pictures = view.messages.filter(({ image }) => image !== null);
  const index = pictures.findIndex((message) => message.id === id);
  const message = pictures[index];
  const ready = view.state === 'ready';
  useEffect(() => {
    // The message was deleted, or the history entry is from an earlier page load.
    if (ready && !message) onClose();
  }, [ready, message, onClose]);
  if (!message) return null;
  const name = view.personas.get(message.memberId)?.anonymousName ?? defaultName;
  return (
    <Opened
      message={message}
      by={`${name}, ${timeOfDay(message.createdAt)}`}
      place={{ at: index + 1, of: pictures.length }}
      onStep={(by) => {
        const next = pictures[index + by];
        if (next) onShow(next.id);
      }}
      onClose={onClose}
    />
  );
}

interface OpenedProps {
  message: RoomMessage;
  by: string;
  place: { at: number; of: number };
  onStep: (by: 1 | -1) => void;
  onClose: () => void;
}

function Opened({ message, by, place, onStep, onClose }: OpenedProps) {
  const { id, image, imageUrl } = message;
  const stage = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const closing = useRef(false);
  const close = useCallback(() => {
    // A second step back in the history would leave the room.
    if (closing.current) return;
    closing.current = true;
    onClose();
  }, [onClose]);
  const dialog = useNativeDialog(close);
  const { zoom, drag, moving, zoomAt, pan, reset, handlers } = usePictureZoom({
    id,
    stage,
    picture,
    width: image?.width ?? 1,
    onStep,
    onClose: close,
  });
  if (!image || !imageUrl) return null;

  const arrow = (x: 1 | -1 | 0, y: 1 | -1 | 0) => {
    if (zoom.scale > 1) pan(-x * panStep, -y * panStep);
    else if (x !== 0) onStep(x);
  };
  const acts: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => arrow(-1, 0),
    ArrowRight: () => arrow(1, 0),
    ArrowUp: () => arrow(0, -1),
    ArrowDown: () => arrow(0, 1),
    '+': () => zoomAt(zoomStep),
    '=': () => zoomAt(zoomStep),
    '-': () => zoomAt(1 / zoomStep),
    '0': reset,
  };
  const keyDown = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey } = event;
    const act = acts[key];
    if (!act || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    act();
  };

  const { at, of } = place;
  const where = of > 1 ? `Picture ${at} of ${of}` : 'Picture';
  const [x, y] = [zoom.x + drag.x, zoom.y + Math.max(0, drag.y)];
  return (
    <dialog
      ref={dialog}
      className={styles.overlay}
      aria-label={where}
      onKeyDown={keyDown}
      onClose={() => {
        if (dialog.current && !dialog.current.open) close();
      }}
    >
      <div className={styles.bar}>
        <p className={styles.by}>
          <bdi>{by}</bdi>
        </p>
        <p className={styles.place} role="status">
          {of > 1 && `${at} of ${of}`}
        </p>
        <div className={styles.tools}>
          <IconButton
            icon="less"
            label="Zoom out"
            aria-disabled={zoom.scale === 1}
            onClick={() => zoomAt(1 / zoomStep)}
          />
          <IconButton icon="create" label="Zoom in" onClick={() => zoomAt(zoomStep)} />
          <IconButton icon="save" label="Save picture" onClick={() => savePicture(imageUrl)} />
          <IconButton icon="close" label="Close" data-first-focus onClick={close} />
        </div>
      </div>
      <div
        ref={stage}
        className={styles.stage}
        data-zoomed={zoom.scale > 1 || undefined}
        data-moving={moving || undefined}
        {...handlers}
      >
        <EnlargedPicture
          key={id}
          ref={picture}
          image={image}
          url={imageUrl}
          moving={moving}
          style={{ '--x': `${x}px`, '--y': `${y}px`, '--scale': zoom.scale }}
        />
      </div>
      {of > 1 && (
        <div className={styles.steps}>
          <IconButton
            icon="left"
            label="Previous picture"
            aria-disabled={at === 1}
            onClick={() => onStep(-1)}
          />
          <IconButton
            icon="right"
            label="Next picture"
            aria-disabled={at === of}
            onClick={() => onStep(1)}
          />
        </div>
      )}
      {image.alt && (
        <p className={styles.alt} dir="auto">
          {image.alt}
        </p>
      )}
    </dialog>
  );
}
