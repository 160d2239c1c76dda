import { useId } from 'react';
import { IconButton } from '#web/ui/icon-button.tsx';
import { AnnouncementText } from './announcement-text.tsx';
import styles from './announcement-banner.module.css';

interface Props {
  /** The label of the class, or null if the announcement is for everyone. */
  label: string | null;
  text: string;
  onDismiss: () => void;
}

export function AnnouncementItem({ label, text, onDismiss }: Props) {
  const textId = useId();
  return (
    <div className={styles.item}>
      <div className={styles.words} id={textId}>
        <p className={styles.label}>
          {label === null ? 'Announcement' : `Announcement for ${label}`}
        </p>
        <p className={styles.text} dir="auto">
          <AnnouncementText text={text} />
        </p>
      </div>
      <IconButton
        icon="close"
        label="Dismiss announcement"
        aria-describedby={textId}
        onClick={onDismiss}
      />
    </div>
  );
}
