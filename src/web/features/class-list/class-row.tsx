import { Link } from 'react-router';
import { classLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useDialogs } from '#web/ui/dialogs.tsx';
import type { Live } from '#web/sync/room.ts';
import { Tag } from '#web/ui/tag.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { useContextMenu } from '#web/ui/use-context-menu.ts';
import { shareClass } from './share-class.ts';
import { UnreadCount, useUnread } from './unread-count.tsx';
import { useLeave } from './use-leave.ts';
import styles from './class-list.module.css';

interface Props {
  of: Class;
  open: boolean;
  live: Live;
}

export function ClassRow({ of, open, live }: Props) {
  const dialogs = useDialogs();
  const leave = useLeave();
  const unread = useUnread(live, of.classId);
  const label = classLabel(of);
  const about = of.courseName?.trim();
  const pressed = useContextMenu(() => {
    void dialogs.confirm(`Do you want to remove ${label} from your classes?`).then((yes) => {
      if (yes) leave(of);
    });
  });
  return (
    <div className={styles.row} data-unread={unread.count > 0 || undefined} {...pressed}>
      <Link
        className={styles.link}
        to={`/home/${of.classId}`}
        aria-current={open ? 'page' : undefined}
        draggable={false}
      >
        <span className={styles.label}>
          <bdi>{label}</bdi>
          {of.ended && <Tag>Ended</Tag>}
        </span>
        {about && about.toUpperCase() !== label && (
          <span className={styles.about}>
            <bdi>{about}</bdi>
          </span>
        )}
        <UnreadCount {...unread} />
      </Link>
      <div className={styles.options}>
        <MenuButton
          label={`Options for ${label}`}
          items={[
            {
              icon: 'share',
              label: 'Share Class',
              act: () => void shareClass(of.classId, label, dialogs),
            },
            { icon: 'leave', label: 'Delete Class', danger: true, act: () => leave(of) },
          ]}
        />
      </div>
    </div>
  );
}
