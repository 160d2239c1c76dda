import styles from './panel-tabs.module.css';

interface Props<Name extends string> {
  label: string;
  tabs: readonly { name: Name; title: string }[];
  currentTab: Name;
  onChange: (name: Name) => void;
}

/** The tabs of a panel next to the room, in one line. */
export function PanelTabs<Name extends string>(props: Props<Name>) {
  const { label, tabs, currentTab, onChange } = props;
  return (
    <nav className={styles.tabs} aria-label={label}>
      {tabs.map(({ name, title }) => (
        <button
          key={name}
          type="button"
          className="quiet tab"
          ref={name === currentTab ? scrollTabIntoView : undefined}
          aria-current={name === currentTab ? 'page' : undefined}
          onClick={() => onChange(name)}
        >
          {title}
        </button>
      ))}
    </nav>
  );
}

/** Shows the current tab if the tabs do not fit in their line. */
export function scrollTabIntoView(tab: HTMLElement | null): void {
  tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}
