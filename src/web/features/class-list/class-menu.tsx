import { useNavigate } from 'react-router';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { lecturePanelState } from '#web/data/lectures.ts';
import { choosePreference } from '#web/data/preferences.ts';
import { useHoldsLectures } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient, Unread } from '#web/sync/room/room.ts';
import { Menu, type MenuItem } from '#web/ui/menu.tsx';
import type { OpenMenu } from '#web/ui/menu-button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useShareLink } from '#web/ui/use-share-link.ts';

interface Props extends OpenMenu {
  joinedClass: Class;
  live: LiveClient;
  unread: Unread;
  onDelete: () => void;
}

/** The options of a class in the list. */
export function ClassMenu({ joinedClass, live, unread, onDelete, ...menu }: Props) {
  const { classId, ended } = joinedClass;
  const navigate = useNavigate();
  const notify = useNotify();
  const holdsLectures = useHoldsLectures(classId);
  const share = useShareLink();
  const items: MenuItem[] = [
    {
      icon: 'share',
      label: getText('classList.menu.share'),
      action: () => void share(classId, toClassLabel(joinedClass)),
    },
    {
      icon: 'mute',
      label: unread.muted ? getText('classList.menu.unmute') : getText('classList.menu.mute'),
      action() {
        const target = { classId, preferences: live.preferences(classId), notify };
        void choosePreference(target, { list: 'muted', isOn: !unread.muted });
      },
    },
    { icon: 'leave', label: getText('classList.menu.delete'), danger: true, action: onDelete },
  ];
  if (unread.count > 0) {
    items.unshift({
      icon: 'check',
      label: getText('classList.menu.markRead'),
      action() {
        if (!live.markAllRead(classId)) notify({ text: getText('classList.menu.markRead.failed') });
      },
    });
  }
  if (holdsLectures && !ended) {
    items.unshift({
      icon: 'question',
      label: getText('classList.menu.lecture'),
      action: () => void navigate(`/home/${classId}`, { state: lecturePanelState }),
    });
  }
  return <Menu {...menu} items={items} />;
}
