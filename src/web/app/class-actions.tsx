import { useState } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class } from '#contract/entities.ts';
import { useLive } from '#web/app/live-provider.tsx';
import { choosePreference } from '#web/data/preferences.ts';
import { useHoldsLectures, useMayModerate } from '#web/data/session.ts';
import { useDeleteClass } from '#web/features/class-list/use-delete-class.ts';
import { getText } from '#web/get-text.ts';
import { Icon, type IconName } from '#web/ui/icon.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useShareLink } from '#web/ui/use-share-link.ts';
import { useStore } from '#web/use-store.ts';
import { ClassDialog, type ClassDialogKind } from './class-dialog.tsx';
import styles from './class-panel.module.css';

interface Action {
  icon: IconName;
  label: string;
  act: () => void;
}

interface Props {
  classInfo: Class;
  /** Opens the panel of the lecture. */
  onLecture: () => void;
}

/** What a member can do with a class, one button a line. */
export function ClassActions({ classInfo, onLecture }: Props) {
  const { classId } = classInfo;
  const live = useLive();
  const notify = useNotify();
  const share = useShareLink();
  const deleteClass = useDeleteClass(live);
  const mayModerate = useMayModerate()(classId);
  const holdsLectures = useHoldsLectures(classId);
  const preferences = live.preferences(classId);
  const { muted } = useStore(preferences);
  const [dialog, setDialog] = useState<ClassDialogKind | null>(null);
  const actions: Action[] = [
    {
      icon: 'share',
      label: getText('classList.menu.share'),
      act: () => void share(classId, toClassLabel(classInfo)),
    },
    {
      icon: 'mute',
      label: muted ? getText('classList.menu.unmute') : getText('classList.menu.mute'),
      act: () =>
        void choosePreference({ classId, preferences, notify }, { list: 'muted', isOn: !muted }),
    },
    { icon: 'eyeOff', label: getText('app.actions.ignored'), act: () => setDialog('ignored') },
    { icon: 'flag', label: getText('app.actions.reports'), act: () => setDialog('reports') },
  ];
  if (mayModerate && !classInfo.ended) {
    actions.push({
      icon: 'edit',
      label: getText('app.actions.settings'),
      act: () => setDialog('settings'),
    });
  }
  if (holdsLectures && !classInfo.ended) {
    actions.push({ icon: 'topic', label: getText('topics.edit'), act: () => setDialog('topics') });
    actions.unshift({ icon: 'question', label: getText('classList.menu.lecture'), act: onLecture });
  }
  actions.push({
    icon: 'leave',
    label: getText('classList.menu.delete'),
    act: () => deleteClass(classInfo),
  });
  return (
    <>
      <ul className={styles.actions}>
        {actions.map(({ icon, label, act }) => (
          <li key={icon}>
            <button type="button" className="list-row" onClick={act}>
              <Icon name={icon} />
              {label}
            </button>
          </li>
        ))}
      </ul>
      {dialog && (
        <ClassDialog classInfo={classInfo} kind={dialog} onClose={() => setDialog(null)} />
      )}
    </>
  );
}
