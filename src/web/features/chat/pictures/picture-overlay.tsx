import { type KeyboardEvent, useCallback, useEffect, useRef } from 'react';
import type { Picture } from '#contract/entities.ts';
import { findTags } from '#contract/persona-name.ts';
import { getText, isRightToLeft } from '#web/get-text.ts';
import type { RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { formatTimeOfDay, toSpokenName } from '#web/format.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { getShortcutKey } from '#web/ui/shortcut-keys.ts';
import { useNativeDialog } from '#web/ui/use-native-dialog.ts';
import { toImageLabel } from '../messages/message-summary.ts';
import { EnlargedPicture } from './enlarged-picture.tsx';
import { saveImage } from './save-image.ts';
import { usePictureZoom } from './use-picture-zoom.ts';
import type { Zoom } from './zoom.ts';
import styles from './picture-overlay.module.css';

interface Props {
  view: RoomView;
  /** The picture that is enlarged. */
  imageUrl: string;
  onShow: (imageUrl: string) => void;
  onClose: () => void;
}

const zoomStep = 1.5;
const panStep = 80;

/** Shows a picture full screen, with navigation to the other loaded pictures of the room. */
export function PictureOverlay({ view, imageUrl, onShow, onClose }: Props) {
  const { ignored, hidden } = view.preferences;
  // A collapsed message that the member has opened has the picture that is enlarged.
  const isShown = ({ id, memberId, images }: RoomMessage) =>
    !(ignored.has(memberId) || hidden.has(id)) ||
    images.some((image) => image.imageUrl === imageUrl);
  const pictures = view.messages
    .filter(isShown)
    .flatMap((message) => message.images.map((image, n) => ({ message, image, number: n + 1 })))
    // A step must not show what another picture hides.
    .filter(({ image }) => !image.spoiler || image.imageUrl === imageUrl);
  const index = pictures.findIndex(({ image }) => image.imageUrl === imageUrl);
  const picture = pictures[index];
  const isReady = view.state === 'ready';
  useEffect(() => {
    // The message was deleted, or the history entry is from an earlier page load.
    if (isReady && !picture) onClose();
  }, [isReady, picture, onClose]);
  if (!picture) return null;
  const { message, image, number } = picture;
  const { memberId } = message;
  const { length: count } = message.images;
  const kind = image.pdfUrl ? 'pdf' : 'picture';
  const { personas } = view;
  const name = toSpokenName(personas.get(memberId), findTags(personas).get(memberId));
  return (
    <OpenPicture
      image={image}
      caption={`${name}${getText('format.comma')}${formatTimeOfDay(message.createdAt)}`}
      place={count > 1 ? getText('chat.picture.inMessage', { kind, number, count }) : ''}
      position={{ number: index + 1, count: pictures.length }}
      onStep={(step) => {
        const next = pictures[index + step];
        if (next) onShow(next.image.imageUrl);
      }}
      onClose={onClose}
    />
  );
}

interface OpenPictureProps {
  image: Picture;
  caption: string;
  /** The place of the picture in the message. */
  place: string;
  position: { number: number; count: number };
  onStep: (step: 1 | -1) => void;
  onClose: () => void;
}

function OpenPicture(props: OpenPictureProps) {
  const { image, caption, position, onStep, onClose } = props;
  const { imageUrl } = image;
  const stage = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLDivElement>(null);
  const isClosing = useRef(false);
  const close = useCallback(() => {
    // A second step back in the history would leave the room.
    if (isClosing.current) return;
    isClosing.current = true;
    onClose();
  }, [onClose]);
  const dialog = useNativeDialog(close);
  const { zoom, drag, moving, zoomAt, pan, reset, handlers } = usePictureZoom({
    id: imageUrl,
    stage,
    picture,
    width: image.width,
    onStep,
    onClose: close,
  });

  const moveByArrow = (x: 1 | -1 | 0, y: 1 | -1 | 0) => {
    if (zoom.scale > 1) pan(-x * panStep, -y * panStep);
    else if (x !== 0) onStep((x === 1) === isRightToLeft() ? -1 : 1);
  };
  const keyActions: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveByArrow(-1, 0),
    ArrowRight: () => moveByArrow(1, 0),
    ArrowUp: () => moveByArrow(0, -1),
    ArrowDown: () => moveByArrow(0, 1),
    '+': () => zoomAt(zoomStep),
    '=': () => zoomAt(zoomStep),
    '-': () => zoomAt(1 / zoomStep),
    '0': reset,
  };
  const handleKeyDown = (event: KeyboardEvent) => {
    const { ctrlKey, metaKey, altKey } = event;
    const keyAction = keyActions[getShortcutKey(event.nativeEvent)];
    if (!keyAction || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    keyAction();
  };

  const part = describePart(image, position);
  const x = zoom.x + drag.x;
  const y = zoom.y + Math.max(0, drag.y);
  return (
    <dialog
      ref={dialog}
      className={styles.overlay}
      aria-label={
        image.pdfUrl
          ? getText('chat.pdf.name')
          : toImageLabel({ alt: '', isPdf: false }, position.number - 1, position.count)
      }
      onKeyDown={handleKeyDown}
      onClose={() => {
        if (dialog.current?.open === false) close();
      }}
    >
      <div className={styles.bar}>
        <p className={styles.by}>
          <bdi>{caption}</bdi>
          {props.place && `, ${props.place}`}
        </p>
        <p className={styles.place} role="status">
          {part}
        </p>
        <Tools image={image} zoom={zoom} zoomAt={zoomAt} onClose={close} />
      </div>
      <div
        ref={stage}
        className={styles.stage}
        data-zoomed={zoom.scale > 1 || undefined}
        data-moving={moving || undefined}
        {...handlers}
      >
        <EnlargedPicture
          key={imageUrl}
          ref={picture}
          image={image}
          moving={moving}
          style={{ '--x': `${x}px`, '--y': `${y}px`, '--scale': zoom.scale }}
        />
      </div>
      {position.count > 1 && <StepButtons position={position} onStep={onStep} />}
      {image.alt && (
        <p className={styles.alt} dir="auto">
          {image.alt}
        </p>
      )}
    </dialog>
  );
}

/** Which picture of the room is shown. A PDF has no such number, because it would look like the number of a page. */
function describePart({ pages }: Picture, { number, count }: OpenPictureProps['position']): string {
  if (pages) return getText('chat.pdf.firstPageOf', { pages });
  return count > 1 ? getText('chat.picture.position', { number, count }) : '';
}

interface ToolsProps {
  image: Picture;
  zoom: Zoom;
  zoomAt: (factor: number) => void;
  onClose: () => void;
}

function Tools({ image, zoom, zoomAt, onClose }: ToolsProps) {
  return (
    <div className={styles.tools}>
      <IconButton
        icon="less"
        label={getText('chat.picture.zoomOut')}
        aria-disabled={zoom.scale === 1}
        onClick={() => zoomAt(1 / zoomStep)}
      />
      <IconButton
        icon="create"
        label={getText('chat.picture.zoomIn')}
        onClick={() => zoomAt(zoomStep)}
      />
      <IconButton
        icon="save"
        label={image.pdfUrl ? getText('chat.pdf.download') : getText('chat.picture.save')}
        onClick={() => saveImage(image)}
      />
      <IconButton icon="close" label={getText('common.close')} data-first-focus onClick={onClose} />
    </div>
  );
}

function StepButtons({ position, onStep }: Pick<OpenPictureProps, 'position' | 'onStep'>) {
  return (
    <div className={styles.steps}>
      <IconButton
        icon="left"
        label={getText('chat.picture.previous')}
        aria-disabled={position.number === 1}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon="right"
        label={getText('chat.picture.next')}
        aria-disabled={position.number === position.count}
        onClick={() => onStep(1)}
      />
    </div>
  );
}
