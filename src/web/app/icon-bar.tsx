import { type ReactNode, useEffect } from 'react';
import { useLocation } from 'react-router';
import { useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { useIsModerator } from '#web/data/session.ts';
import { useWaitingWork } from '#web/data/waiting-work.ts';
import { useTotalUnread } from '#web/features/class-list/unread-count.tsx';
import { getText } from '#web/get-text.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
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
      <span className={styles.tip}>{getText('app.classList')}</span>
      {children}
    </button>
  );
}

/** The bar, folded into its first button: in the header of a room on a narrow screen. */
export function FoldedBar() {
  const { isBarFolded, toggle } = useClassListPane();
  const unread = useTotalUnread(useLive());
  if (!isBarFolded) return null;
  return (
    <nav className={styles.folded} aria-label={getText('app.bar.label')}>
      <IconButton
        icon="menu"
        label={
          unread === '' ? getText('app.classList') : getText('app.classList.unread', { unread })
        }
        aria-expanded={false}
        onClick={toggle}
      />
      {unread !== '' && (
        <span className={styles.unread} aria-hidden="true">
          {unread}
        </span>
      )}
    </nav>
  );
}

function UnreadDot() {
  return (
    <span className={styles.news}>
      <VisuallyHidden>, {getText('app.bar.newMessages')}</VisuallyHidden>
    </span>
  );
}

export function IconBar() {
  const live = useLive();
  const unread = useTotalUnread(live);
  const work = useWaitingWork();
  const shownWork = work > 99 ? '99+' : String(work);
  const news = addCounts(unread, work);
  useEffect(() => setUnreadInTitle(news), [news]);
  useEffect(() => () => setUnreadInTitle(''), []);
  const unreadDot = unread !== '' && <UnreadDot />;
  const isModerator = useIsModerator();
  const isNarrow = useIsNarrow();
  const { isBarFolded } = useClassListPane();
  const isUnderHome = /^\/home(\/|$)/.test(useLocation().pathname);
  if (isBarFolded) return null;
  return (
    <nav className={styles.bar} aria-label={getText('app.bar.label')}>
      <ul className={styles.list}>
        <li>
          {isNarrow && isUnderHome ? (
            <ClassListButton>{unreadDot}</ClassListButton>
          ) : (
            <Item to="/home" icon="home" label={getText('app.bar.home')}>
              {(isNarrow || !isUnderHome) && unreadDot}
            </Item>
          )}
        </li>
        <li>
          <Item to="/create" icon="create" label={getText('app.bar.create')} />
        </li>
        <li>
          <Item to="/search" icon="search" label={getText('app.bar.search')} />
        </li>
        {isModerator && (
          <li>
            <Item to="/moderation" icon="shield" label={getText('app.moderation')}>
              {work > 0 && (
                <span className={styles.work}>
                  <span aria-hidden="true">{shownWork}</span>
                  <VisuallyHidden>{getText('app.toDecide', { count: shownWork })}</VisuallyHidden>
                </span>
              )}
            </Item>
          </li>
        )}
        <li className={styles.last}>
          <Item to="/profile" icon="profile" label={getText('app.bar.profile')} />
        </li>
      </ul>
    </nav>
  );
}

/** @param unread such as '7' or '57+' */
function addCounts(unread: string, work: number): string {
  const sum = Number.parseInt(unread || '0', 10) + work;
  if (sum === 0) return '';
  return unread.endsWith('+') ? `${sum}+` : String(sum);
}
