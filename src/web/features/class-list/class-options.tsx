import { Menu } from '@base-ui/react/menu';
import { Icon } from '#web/ui/icon.tsx';
import { IconButton } from '#web/ui/icon-button.tsx';
import styles from './class-options.module.css';

interface Props {
  label: string;
  onDelete: () => void;
  onShare: () => void;
}

export function ClassOptions({ label, onDelete, onShare }: Props) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger render={<IconButton icon="more" label={label} />} />
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} sideOffset={4} align="end">
          <Menu.Popup className={styles.popup} aria-label={label}>
            <Menu.Item className={styles.item} onClick={onShare}>
              <Icon name="share" size={18} />
              Share Class
            </Menu.Item>
            <Menu.Item className={`${styles.item} ${styles.danger}`} onClick={onDelete}>
              <Icon name="leave" size={18} />
              Delete Class
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
