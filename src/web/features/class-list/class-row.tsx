import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useDraft } from '#web/data/drafts.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { MenuButton } from '#web/ui/menu-button.tsx';
import { useContextMenu } from '#web/ui/use-context-menu.ts';
import { useShareLink } from '#web/ui/use-share-link.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { LastActivity } from './last-activity.tsx';
import { UnreadCount, toShownUnreadCount, useUnread } from './unread-count.tsx';
import { useDeleteClass } from './use-delete-class.ts';
import styles from './class-list.module.css';

interface Props {
  joinedClass: Class;
  open: boolean;
  /** The row is the tab stop of the list. */
  isTabStop: boolean;
  live: LiveClient;
}

/** More does not fit into a row. */
const maxDraftLength = 80;

export function ClassRow({ joinedClass, open, isTabStop, live }: Props) {
  const deleteClass = useDeleteClass(live);
  const share = useShareLink();
  const unread = useUnread(live, joinedClass.classId);
  const draft = useDraft(joinedClass.classId).trim();
  const label = toClassLabel(joinedClass);
  const courseName = joinedClass.courseName?.trim();
  const menuHandlers = useContextMenu(() => deleteClass(joinedClass));
  return (
    <div
      className={styles.row}
      data-unread={toShownUnreadCount(unread) > 0 || undefined}
      {...menuHandlers}
    >
      <Link
        className={styles.link}
        to={`/home/${joinedClass.classId}`}
        aria-current={open ? 'page' : undefined}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
      >
        <bdi className={styles.label} translate="no">
          {label}
        </bdi>
        {joinedClass.ended && <Tag>Ended</Tag>}
        {draft && !open && !joinedClass.ended ? (
          <span className={styles.draft}>
            <Icon name="edit" size={14} />
            Draft: <bdi>{draft.slice(0, maxDraftLength)}</bdi>
          </span>
        ) : (
          courseName &&
          courseName.toUpperCase() !== label && (
            <bdi className={styles.about} title={courseName}>
              {courseName}
            </bdi>
          )
        )}
        <span className={styles.end}>
          {unread.muted && (
            <span className={styles.muted} title="Muted">
              <Icon name="mute" size={14} />
              <VisuallyHidden>Muted</VisuallyHidden>
            </span>
          )}
          <LastActivity live={live} classId={joinedClass.classId} />
          <UnreadCount {...unread} />
        </span>
      </Link>
      <div className={styles.options}>
        <MenuButton
          label={`Options for ${label}`}
          tabIndex={-1}
          items={[
            {
              icon: 'share',
              label: 'Share Class',
              action: () => void share(joinedClass.classId, label),
            },
            {
              icon: 'leave',
              label: 'Delete Class',
              danger: true,
              action: () => deleteClass(joinedClass),
            },
          ]}
        />
      </div>
    </div>
  );
}
