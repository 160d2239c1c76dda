import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { limits } from '#contract/limits.ts';
import { addDescription, formatList, formatMegabytes } from '#web/format.ts';
import { formatNumber, getText, isRightToLeft } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { isPdfFile } from '#web/sync/uploads/pdf-file.ts';
import type { StagedPicture } from '#web/sync/uploads/staging.ts';
import { Button } from '#web/ui/button.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { toImageLabel } from '../messages/message-summary.ts';
import { LocalPicture, UploadBar } from '../pictures/local-picture.tsx';
import styles from './staged-pictures.module.css';

type Staging = Room['staging'];

interface Props {
  pictures: readonly StagedPicture[];
  staging: Staging;
  /** Called after the member removed a picture. */
  onRemoved: () => void;
}

/** The staged pictures, above the text field. The member can describe and move the selected one. */
export function StagedPictures({ pictures, staging, onRemoved }: Props) {
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const index = Math.max(
    0,
    pictures.findIndex(({ id }) => id === selectedId),
  );
  const selectedPicture = pictures[index];
  const count = pictures.length;
  const tiles = useRef<HTMLUListElement>(null);
  const dragHandlers = useDragToReorder(tiles, pictures, staging);
  useEffect(() => {
    tiles.current?.children[index]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [index]);
  return (
    <div
      className={styles.staged}
      role="group"
      aria-label={toGroupLabel(pictures)}
      data-several={count > 1 || undefined}
    >
      <ul ref={tiles} className={styles.tiles} {...(count > 1 && dragHandlers)}>
        {pictures.map((picture, n) => (
          <li key={picture.id}>
            <Tile
              picture={picture}
              name={toName(picture, n, count)}
              isSelected={n === index}
              onSelect={count > 1 ? () => setSelectedId(picture.id) : null}
              onRemove={() => {
                staging.remove(picture.id);
                onRemoved();
              }}
            />
          </li>
        ))}
      </ul>
      <div className={styles.about}>
        {selectedPicture && (
          <SelectedPicture
            key={selectedPicture.id}
            picture={selectedPicture}
            index={index}
            count={count}
            staging={staging}
            onMoved={() => setSelectedId(selectedPicture.id)}
          />
        )}
        <UploadState pictures={pictures} staging={staging} />
        {pictures.some(isPdf) && <p className={styles.state}>{getText('chat.staged.pdfHint')}</p>}
      </div>
    </div>
  );
}

const isPdf = ({ bytes }: StagedPicture) => isPdfFile(bytes);

function toGroupLabel(pictures: readonly StagedPicture[]): string {
  const hasPdf = pictures.some(isPdf);
  if (pictures.length === 1) {
    return hasPdf ? getText('chat.staged.pdf') : getText('chat.staged.picture');
  }
  return hasPdf ? getText('chat.staged.files') : getText('chat.staged.pictures');
}

/** Labels name a picture by its number, unless it is the only one. */
function toName(picture: StagedPicture, index: number, count: number) {
  const kind = isPdf(picture) ? 'pdf' : 'picture';
  return { kind: count > 1 ? `${kind}Number` : kind, number: index + 1 };
}

/** A shorter movement of the pointer is a click. */
const dragStartPx = 6;

/**
 * Lets the member drag a picture to another place with a mouse or a pen. A finger scrolls the row. The list takes the
 * pointer, because a moved tile would lose it.
 */
function useDragToReorder(
  list: RefObject<HTMLElement | null>,
  pictures: readonly StagedPicture[],
  staging: Staging,
) {
  const dragged = useRef<{ id: string; fromX: number; isMoving: boolean } | null>(null);
  const stop = () => {
    dragged.current = null;
  };
  return {
    onPointerDown({ target, clientX, pointerType, button }: PointerEvent) {
      if (pointerType === 'touch' || button !== 0) return;
      const tiles = [...(list.current?.children ?? [])];
      const picture = pictures[tiles.findIndex((tile) => tile.contains(target as Node))];
      if (picture) dragged.current = { id: picture.id, fromX: clientX, isMoving: false };
    },
    onPointerMove({ clientX, pointerId }: PointerEvent) {
      const currentDrag = dragged.current;
      if (!currentDrag || !list.current) return;
      if (!currentDrag.isMoving && Math.abs(clientX - currentDrag.fromX) < dragStartPx) return;
      currentDrag.isMoving = true;
      list.current.setPointerCapture(pointerId);
      const from = pictures.findIndex(({ id }) => id === currentDrag.id);
      const to = [...list.current.children].filter((tile, n) => {
        const { left, width } = tile.getBoundingClientRect();
        const isAfter = left + width / 2 < clientX;
        return n !== from && isAfter !== isRightToLeft();
      }).length;
      if (from >= 0 && to !== from) staging.move(currentDrag.id, to);
    },
    onPointerUp: stop,
    onPointerCancel: stop,
  };
}

interface TileProps {
  picture: StagedPicture;
  name: ReturnType<typeof toName>;
  isSelected: boolean;
  /** Null if there is only one picture. */
  onSelect: (() => void) | null;
  onRemove: () => void;
}

function Tile({ picture, name, isSelected, onSelect, onRemove }: TileProps) {
  const { bytes, size, alt, progress, problem } = picture;
  const preview = (
    <>
      <LocalPicture bytes={bytes} size={size} />
      {progress !== null && <UploadBar share={progress} isPdf={isPdf(picture)} />}
      {problem !== null && (
        <span className={styles.mark}>
          <Icon name="alert" size={20} />
        </span>
      )}
    </>
  );
  return (
    <div className={styles.tile} data-failed={problem !== null || undefined}>
      {onSelect ? (
        <button
          type="button"
          className={styles.preview}
          aria-label={addDescription(getText('chat.staged.select', name), alt)}
          aria-pressed={isSelected}
          onClick={onSelect}
        >
          {preview}
        </button>
      ) : (
        <div className={styles.preview}>{preview}</div>
      )}
      <button
        type="button"
        className={styles.remove}
        aria-label={getText('chat.staged.remove', name)}
        title={getText('chat.staged.remove', name)}
        onClick={onRemove}
      >
        <Icon name="close" size={16} />
      </button>
    </div>
  );
}

interface SelectedProps {
  picture: StagedPicture;
  index: number;
  count: number;
  staging: Staging;
  onMoved: () => void;
}

function SelectedPicture({ picture, index, count, staging, onMoved }: SelectedProps) {
  const move = (step: 1 | -1) => {
    const to = index + step;
    if (to < 0 || to >= count) return;
    staging.move(picture.id, to);
    onMoved();
  };
  const name = toName(picture, index, count);
  const { alternative } = picture;
  return (
    <div className={styles.selected}>
      {count > 1 && (
        <>
          <IconButton
            icon="left"
            label={getText('chat.staged.moveLeft', name)}
            aria-disabled={index === 0}
            onClick={() => move(-1)}
          />
          <span className={styles.place}>
            {index + 1} / {count}
            <VisuallyHidden>
              <span role="status">
                {toImageLabel({ alt: '', isPdf: isPdf(picture) }, index, count)}
              </span>
            </VisuallyHidden>
          </span>
          <IconButton
            icon="right"
            label={getText('chat.staged.moveRight', name)}
            aria-disabled={index === count - 1}
            onClick={() => move(1)}
          />
        </>
      )}
      <input
        className={styles.alt}
        dir="auto"
        maxLength={limits.altText}
        placeholder={getText('chat.staged.describe', name)}
        aria-label={getText('chat.staged.description', name)}
        value={picture.alt}
        onChange={(event) => staging.describe(picture.id, event.target.value)}
      />
      <label className={styles.option}>
        <input
          type="checkbox"
          checked={picture.spoiler === true}
          onChange={(event) => staging.hide(picture.id, event.target.checked)}
        />
        {getText('chat.staged.hide')}
      </label>
      {alternative && (
        <label className={styles.option}>
          <input
            type="checkbox"
            checked={picture.bytes.size > alternative.size}
            onChange={() => staging.switchSize(picture.id)}
          />
          {getText('chat.staged.original', {
            megabytes: formatMegabytes(Math.max(picture.bytes.size, alternative.size)),
          })}
        </label>
      )}
    </div>
  );
}

/** The progress of a single upload, and a line for each reason why uploads failed. */
function UploadState({ pictures, staging }: Pick<Props, 'pictures' | 'staging'>) {
  const problems = new Set(pictures.flatMap(({ problem }) => problem ?? []));
  const [progress = null] =
    pictures.length === 1 ? pictures.map((picture) => picture.progress) : [];
  return (
    <>
      {progress !== null && (
        <p className={styles.state}>
          {progress === 1 && pictures.some(isPdf)
            ? getText('chat.upload.preparingPdf')
            : getText('chat.upload.progress', { percent: Math.round(progress * 100) })}
        </p>
      )}
      <div>
        {[...problems].map((problem) => {
          const numbers = formatList(
            pictures.flatMap((picture, n) =>
              picture.problem === problem ? formatNumber(n + 1) : [],
            ),
          );
          const kind = pictures.some(isPdf) ? 'file' : 'picture';
          return (
            <p key={problem} className={styles.failed}>
              <span role="alert">
                {pictures.length > 1
                  ? getText('chat.staged.failed', { kind, numbers, problem })
                  : problem}
              </span>
              <Button
                variant="plain"
                onClick={() => {
                  for (const { id, problem: pictureProblem } of pictures) {
                    if (pictureProblem === problem) staging.retryUpload(id);
                  }
                }}
              >
                {getText('common.retry')}
              </Button>
            </p>
          );
        })}
      </div>
    </>
  );
}
