// The panel of the open class: its details and what a member can do with the class, the people, and the pictures and
// files. It stands next to the room, or over it in a narrow window (`use-side-panel.ts`).
import { useEffect, useId, useRef } from 'react';
import { toClassLabel } from '#contract/class-label.ts';
import type { Class, Persona } from '#contract/entities.ts';
import { formatClassName } from '#web/data/class-details.ts';
import type { ReportTarget } from '#web/data/reports.ts';
import { toMessageRights } from '#web/features/chat/messages/message-rights.ts';
import { ClassPictures } from '#web/features/class-pictures/class-pictures.tsx';
import { ClassDetails } from '#web/features/class-settings/class-details.tsx';
import { ClassFigures } from '#web/features/class-settings/class-figures.tsx';
import { NotificationChoice } from '#web/features/class-settings/notification-choice.tsx';
import { MembersList } from '#web/features/persona/members-list.tsx';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { PanelTabs } from '#web/ui/panel-tabs.tsx';
import { isComposing } from '#web/ui/shortcut-keys.ts';
import { hasOpenLayer, useEscape } from '#web/ui/use-escape.ts';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useStore } from '#web/use-store.ts';
import { ClassActions } from './class-actions.tsx';
import type { ClassTab, SidePanel } from './use-side-panel.ts';
import styles from './class-panel.module.css';

const titles: Readonly<Record<ClassTab, string>> = {
  details: getText('app.panel.details'),
  people: getText('app.panel.people'),
  pictures: getText('classPictures.title'),
};
const tabs = (['details', 'people', 'pictures'] as const).map((name) => ({
  name,
  title: titles[name],
}));

interface Props {
  classInfo: Class;
  tab: ClassTab;
  panel: SidePanel;
  room: Room;
  /** Puts a mention of a person into the message field. */
  onMention: (persona: Persona) => void;
  /** Opens the form that reports a person. */
  onReport: (target: ReportTarget) => void;
}

export function ClassPanel({ classInfo, tab, panel, room, onMention, onReport }: Props) {
  const { classId } = classInfo;
  const id = useId();
  const label = toClassLabel(classInfo);
  const courseName = formatClassName(classInfo);
  const mayWrite = useMayWrite(classInfo, room);
  const element = useRef<HTMLElement>(null);
  useEffect(() => element.current?.focus({ preventScroll: true }), []);
  useEscape(panel.coversRoom, panel.close);
  // The heading of a covered room is hidden from screen readers.
  const Heading = panel.coversRoom ? 'h1' : 'h2';
  const TabHeading = panel.coversRoom ? 'h2' : 'h3';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- its controls handle the keys.
    <section
      ref={element}
      className="panel"
      aria-labelledby={id}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented || hasOpenLayer()) return;
        if (isComposing(event.nativeEvent)) return;
        event.preventDefault();
        panel.close();
      }}
    >
      <header className="panel-head">
        <div className="grow">
          <Heading id={id}>{label}</Heading>
          {courseName.toUpperCase() !== label && (
            <p className="meta" dir="auto">
              {courseName}
            </p>
          )}
        </div>
        <IconButton icon="close" label={getText('app.panel.close')} onClick={panel.close} />
      </header>
      <PanelTabs
        label={label}
        tabs={tabs}
        currentTab={tab}
        onChange={(name) => panel.change({ kind: 'class', tab: name })}
      />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
      <div key={tab} className={styles.body} role="group" aria-label={titles[tab]} tabIndex={0}>
        <VisuallyHidden as="div">
          <TabHeading>{titles[tab]}</TabHeading>
        </VisuallyHidden>
        {tab === 'details' && <Details classInfo={classInfo} room={room} panel={panel} />}
        {tab === 'people' && (
          <MembersList
            classId={classId}
            room={room}
            onMention={mayWrite ? onMention : null}
            onReport={onReport}
          />
        )}
        {tab === 'pictures' && (
          <ClassPictures classId={classId} room={room} messageState={panel.messageState} />
        )}
      </div>
    </section>
  );
}

/** @returns whether the member can send messages in the class */
function useMayWrite({ ended }: Class, room: Room): boolean {
  return useStore(room, (view) => toMessageRights(view, ended, room.serverNow()).canSend);
}

function Details({ classInfo, room, panel }: Pick<Props, 'classInfo' | 'room' | 'panel'>) {
  const { classId, ended } = classInfo;
  const settings = useStore(room, (snapshot) => snapshot.settings);
  return (
    <div className={styles.details}>
      <ClassDetails joinedClass={classInfo} knownSettings={settings} serverNow={room.serverNow} />
      {!ended && <NotificationChoice classId={classId} />}
      <ClassActions
        classInfo={classInfo}
        onLecture={() => panel.change({ kind: 'questions', tab: 'lecture' })}
      />
      <ClassFigures classId={classId} />
    </div>
  );
}
