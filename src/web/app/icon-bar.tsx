import { NavLink, useLocation } from 'react-router';
import { useClassListPane } from '#web/app/use-class-list-pane.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { useIsNarrow } from '#web/ui/use-is-narrow.ts';
import styles from './icon-bar.module.css';

function Item({ to, icon, label }: { to: string; icon: IconName; label: string }) {
  return (
    <NavLink to={to} className={styles.item}>
      <Icon name={icon} />
      <span className={styles.tip}>{label}</span>
    </NavLink>
  );
}

function ClassListButton() {
  const { open, toggle } = useClassListPane();
  return (
    <button type="button" className={styles.item} aria-expanded={open} onClick={toggle}>
      <Icon name="menu" />
      <span className={styles.tip}>Class list</span>
    </button>
  );
}

export function IconBar() {
  const narrow = useIsNarrow();
  const underHome = /^\/home(\/|$)/.test(useLocation().pathname);
  return (
    <nav className={styles.bar} aria-label="Main">
      <ul className={styles.list}>
        <li>
          {narrow && underHome ? <ClassListButton /> : <Item to="/home" icon="home" label="Home" />}
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
