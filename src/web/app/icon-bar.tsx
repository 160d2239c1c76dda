import { type ReactNode, useEffect } from 'react';
import { NavLink, useLocation } from 'react-router';
import { useClassListPane } from '#web/app/use-class-list-pane.ts';
import { useUnreadInAll } from '#web/app/use-unread-in-all.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { useIsNarrow } from '#web/ui/use-is-narrow.ts';
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
  return (
    <NavLink to={to} className={styles.item}>
      <Icon name={icon} />
      <span className={styles.tip}>{label}</span>
      {children}
    </NavLink>
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

function News() {
  return (
    <span className={styles.news}>
      <VisuallyHidden>, new messages</VisuallyHidden>
    </span>
  );
}

export function IconBar() {
  const unread = useUnreadInAll();
  useEffect(() => setUnreadInTitle(unread), [unread]);
  useEffect(() => () => setUnreadInTitle(0), []);
  const news = unread > 0 && <News />;
  const narrow = useIsNarrow();
  const underHome = /^\/home(\/|$)/.test(useLocation().pathname);
  return (
    <nav className={styles.bar} aria-label="Main">
      <ul className={styles.list}>
        <li>
          {narrow && underHome ? (
            <ClassListButton>{news}</ClassListButton>
          ) : (
            <Item to="/home" icon="home" label="Home">
              {(narrow || !underHome) && news}
            </Item>
          )}
        </li>
        <li>
          <Item to="/create" icon="create" label="Create" />
        </li>
        <li>
          <Item to="/search" icon="search" label="Search" />
        </li>
        <li className={styles.last}>
          <Item to="/profile" icon="profile" label="Profile" />
        </li>
      </ul>
    </nav>
  );
}
