import { type ReactNode, useMemo } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useDraft } from '#web/data/drafts.ts';
import { getText } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import type { Store } from '#web/store.ts';
import type { LiveClient, RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { MenuOpener } from '#web/ui/menu-button.tsx';
import { useContextMenu } from '#web/ui/use-context-menu.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import { LastActivity } from './last-activity.tsx';
import { UnreadCount, toShownUnreadCount } from './unread-count.tsx';
import { useDeleteClass } from './use-delete-class.ts';
import styles from './class-list.module.css';

interface Props {
  joinedClass: Class;
  open: boolean;
  /** The list is the whole screen. */
  isWhole: boolean;
  /** The row is the tab stop of the list. */
  isTabStop: boolean;
  live: LiveClient;
}

/** More does not fit into a row. */
const maxDraftLength = 80;

const classMenu = createPreloadedModule(() => import('./class-menu.tsx'));
const lastMessage = createPreloadedModule(() => import('./last-message.tsx'));

export function ClassRow({ joinedClass, open, isWhole, isTabStop, live }: Props) {
  const { classId, ended } = joinedClass;
  const deleteClass = useDeleteClass(live);
  const view = useMemo(() => live.view(classId), [live, classId]);
  const unread = useStore(view, (snapshot) => snapshot.unread);
  const lastActivityAt = useStore(view, (snapshot) => snapshot.lastActivityAt);
  const label = toClassLabel(joinedClass);
  const courseName = joinedClass.courseName?.trim();
  const menuHandlers = useContextMenu(() => deleteClass(joinedClass));
  return (
    <div
      className={styles.row}
      data-unread={toShownUnreadCount(unread) > 0 || undefined}
      data-muted={unread.muted || undefined}
      {...menuHandlers}
    >
      <Link
        className={styles.link}
        to={`/home/${classId}`}
        aria-current={open ? 'page' : undefined}
        tabIndex={isTabStop ? 0 : -1}
        draggable={false}
      >
        <span className={styles.top}>
          <bdi className={styles.label} translate="no">
            {label}
          </bdi>
          {ended && <Tag>{getText('classList.ended')}</Tag>}
          {courseName && courseName.toUpperCase() !== label && (
            <bdi className={styles.about} title={courseName}>
              {courseName}
            </bdi>
          )}
        </span>
        {lastActivityAt !== null && <LastActivity time={lastActivityAt} />}
        <SecondLine classId={classId} view={view} isOpen={open && !isWhole} hasEnded={ended} />
        <span className={styles.end}>
          {unread.muted && (
            <>
              <Icon name="mute" size={16} />
              <VisuallyHidden>{getText('classList.muted')}</VisuallyHidden>
            </>
          )}
          <UnreadCount {...unread} />
        </span>
      </Link>
      <div className={styles.options}>
        <MenuOpener
          label={getText('classList.menu.options', { className: label })}
          tabIndex={-1}
          code={classMenu}
        >
          {({ ClassMenu }, menu) => (
            <ClassMenu
              {...menu}
              joinedClass={joinedClass}
              live={live}
              unread={unread}
              onDelete={() => deleteClass(joinedClass)}
            />
          )}
        </MenuOpener>
      </div>
    </div>
  );
}

interface SecondLineProps {
  classId: string;
  view: Store<RoomView>;
  isOpen: boolean;
  hasEnded: boolean;
}

/** A lecture that is on, an unsent text, or the last message. What is on screen in the open room is not repeated. */
function SecondLine({ classId, view, isOpen, hasEnded }: SecondLineProps): ReactNode {
  const hasLecture = useStore(
    view,
    // This browser may not have learned that it was ended.
    ({ settings: { lecture } }) => lecture?.lastSeq === null && lecture.lastsUntil > Date.now(),
  );
  if (hasLecture && !hasEnded) {
    return <span className={styles.live}>{getText('classList.lectureNow')}</span>;
  }
  if (isOpen) return null;
  return <DraftOrMessage classId={classId} view={view} hasEnded={hasEnded} />;
}

function DraftOrMessage({ classId, view, hasEnded }: Omit<SecondLineProps, 'isOpen'>): ReactNode {
  const draft = useDraft(classId).trim();
  const shownView = useStore(view);
  const code = useStore(lastMessage);
  if (!draft || hasEnded) return code && <code.LastMessage view={shownView} />;
  return (
    <span className={styles.last}>
      <span className="danger">{getText('classList.draft')}</span>{' '}
      <bdi>{draft.slice(0, maxDraftLength)}</bdi>
    </span>
  );
}
