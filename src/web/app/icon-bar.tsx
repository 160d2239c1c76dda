import { type ReactNode, useEffect, useMemo, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { useClasses } from '#web/data/classes.ts';
import { useIsModerator } from '#web/data/session.ts';
import { useWaitingWork } from '#web/data/waiting-work.ts';
import { hasMoreUnread, toShownUnreadCount } from '#web/features/class-list/unread-count.tsx';
import type { Unread } from '#web/sync/room/room.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useIsNarrow } from '#web/ui/use-media-query.ts';
import { setUnreadInTitle } from '#web/ui/use-title.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import styles from './icon-bar.module.css';

interface ItemProps {
  to: string;
  icon: IconName;
  label: string;
  children?: ReactNode;
}

function Item({ to, icon, label, children }: ItemProps) {
  const { pathname } = useLocation();
  const isHere = `${pathname}/`.startsWith(`${to}/`);
  return (
    <Link to={to} className={styles.item} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} />
      <span className={styles.tip}>{label}</span>
      {children}
    </Link>
  );
}

function ClassListButton({ children }: { children: ReactNode }) {
  const { open, toggle } = useClassListPane();
  return (
    <button type="button" className={styles.item} aria-expanded={open} onClick={toggle}>
      <Icon name="menu" />
      <span className={styles.tip}>Class list</span>
      {children}
    </button>
  );
}

function UnreadDot() {
  return (
    <span className={styles.news}>
      <VisuallyHidden>, new messages</VisuallyHidden>
    </span>
  );
}

export function IconBar() {
  const unread = useTotalUnread();
  const work = useWaitingWork();
  const news = addCounts(unread, work);
  useEffect(() => setUnreadInTitle(news), [news]);
  useEffect(() => () => setUnreadInTitle(''), []);
  const unreadDot = unread !== '' && <UnreadDot />;
  const isModerator = useIsModerator();
  const isNarrow = useIsNarrow();
  const isUnderHome = /^\/home(\/|$)/.test(useLocation().pathname);
  return (
    <nav className={styles.bar} aria-label="Main">
      <ul className={styles.list}>
        <li>
          {isNarrow && isUnderHome ? (
            <ClassListButton>{unreadDot}</ClassListButton>
          ) : (
            <Item to="/home" icon="home" label="Home">
              {(isNarrow || !isUnderHome) && unreadDot}
            </Item>
          )}
        </li>
        <li>
          <Item to="/create" icon="create" label="Create" />
        </li>
        <li>
          <Item to="/search" icon="search" label="Search" />
        </li>
        {isModerator && (
          <li>
            <Item to="/moderation" icon="shield" label="Moderation">
              {work > 0 && (
                <span className={styles.work}>
                  {work > 99 ? '99+' : work}
                  <VisuallyHidden> to decide</VisuallyHidden>
                </span>
              )}
            </Item>
          </li>
        )}
        <li className={styles.last}>
          <Item to="/profile" icon="profile" label="Profile" />
        </li>
      </ul>
    </nav>
  );
}

/** The number of unread messages in all classes of the member, such as '7' or '57+'. Empty if there are none. */
function useTotalUnread(): string {
  const live = useLive();
  const classes = useClasses().data;
  const store = useMemo(() => {
    const counts = (classes ?? []).map(({ classId }) => live.unread(classId));
    return {
      subscribe(listener: () => void) {
        const stops = counts.map((count) => count.subscribe(listener));
        return () => {
          for (const stop of stops) stop();
        };
      },
      getSnapshot: () => sumUnread(counts.map((count) => count.getSnapshot())),
    };
  }, [live, classes]);
  return useSyncExternalStore(store.subscribe, store.getSnapshot);
}

/** @param unread such as '7' or '57+' */
function addCounts(unread: string, work: number): string {
  const sum = Number.parseInt(unread || '0', 10) + work;
  if (sum === 0) return '';
  return unread.endsWith('+') ? `${sum}+` : String(sum);
}

function sumUnread(all: readonly Unread[]): string {
  const sum = all.reduce((total, unread) => total + toShownUnreadCount(unread), 0);
  if (sum === 0) return '';
  return all.some(hasMoreUnread) ? `${sum}+` : String(sum);
}
