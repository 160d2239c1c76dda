import { limits } from '#contract/limits.ts';
import type { StagedPicture as Staged } from '#web/sync/staging.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { LocalPicture } from '../pictures/local-picture.tsx';
import { UploadBar } from '../pictures/upload-bar.tsx';
import styles from './staged-picture.module.css';

interface Props {
  picture: Staged;
  /** The upload error, or null. A retry may succeed. */
  problem: string | null;
  onDescribe: (alt: string) => void;
  onRetry: () => void;
  onRemove: () => void;
}

/** The staged picture, shown above the text field. */
export function StagedPicture({ picture, problem, onDescribe, onRetry, onRemove }: Props) {
  const { bytes, size, alt, progress } = picture;
  return (
    <div className={styles.staged} role="group" aria-label="Picture to send">
      <div className={styles.tile} data-failed={problem !== null || undefined}>
        <LocalPicture bytes={bytes} size={size} />
        {progress !== null && <UploadBar share={progress} />}
        <button
          type="button"
          className={styles.remove}
          aria-label="Remove picture"
          title="Remove picture"
          onClick={onRemove}
        >
          <Icon name="close" size={16} />
        </button>
      </div>
      <div className={styles.about}>
        <input
          className={styles.alt}
          dir="auto"
          maxLength={limits.altText}
          placeholder="Describe the picture (optional)"
          aria-label="Description of the picture"
          value={alt}
          onChange={(event) => onDescribe(event.target.value)}
        />
        {progress !== null && (
          <p className={styles.state}>{`Uploading… ${Math.round(progress * 100)} %`}</p>
        )}
        <div className={styles.failed}>
          <span role="alert">{problem}</span>
          {problem !== null && (
            <Button variant="plain" onClick={onRetry}>
              Retry
            </Button>
          )}
        </div>
      </div>
    </div>
  );
}
