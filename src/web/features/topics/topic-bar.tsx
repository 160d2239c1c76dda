// The topics of a class above its messages: a press shows only the messages of one. The room loads this code if the class has topics.
import type { Topic } from '#contract/entities.ts';
import { limits } from '#contract/limits.ts';
import { choosePreference } from '#web/data/preferences.ts';
import { getText } from '#web/get-text.ts';
import { createLazyModule } from '#web/lazy-module.ts';
import type { Room, RoomMessage } from '#web/sync/room/room.ts';
import { IconButton } from '#web/ui/icon-button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { OnDemand } from '#web/ui/on-demand.tsx';
import { UnreadNumber } from '#web/ui/unread-number.tsx';
import { useStore } from '#web/use-store.ts';
import styles from './topic-bar.module.css';

const moveDialog = createLazyModule(() => import('./move-dialog.tsx'));

interface Props {
  classId: string;
  room: Room;
  topics: readonly Topic[];
  /** The message whose topic the viewer changes. */
  movedMessage: RoomMessage | null;
  onMoveEnd: () => void;
}

const max = limits.maxUnreadCount;

const scrollIntoView = (chip: HTMLElement | null) =>
  chip?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

export function TopicBar({ classId, room, topics, movedMessage, onMoveEnd }: Props) {
  const shownId = useStore(room, (view) => view.topic?.topicId ?? null);
  const unread = useStore(room, (view) => view.topicUnread);
  const hasMore = useStore(room, (view) => view.hasMoreTopicUnread);
  const { mutedTopics } = useStore(room, (view) => view.preferences);
  const notify = useNotify();
  const isMuted = shownId !== null && mutedTopics?.has(shownId) === true;
  const mute = (topicId: string) => {
    const choice = { list: 'mutedTopics', id: topicId, isOn: !isMuted } as const;
    void choosePreference({ classId, preferences: room.preferences, notify }, choice);
  };
  return (
    <>
      <nav className={styles.bar} aria-label={getText('topics.label')}>
        <div className={styles.chips}>
          <button
            ref={shownId === null ? scrollIntoView : null}
            type="button"
            className={styles.chip}
            aria-pressed={shownId === null}
            onClick={() => room.showTopic(null)}
          >
            {getText('topics.all')}
          </button>
          {topics
            .filter(({ topicId, archived }) => !archived || topicId === shownId)
            .map(({ topicId, name }) => {
              const count = unread.get(topicId) ?? 0;
              return (
                <button
                  key={topicId}
                  ref={topicId === shownId ? scrollIntoView : null}
                  type="button"
                  className={styles.chip}
                  aria-pressed={topicId === shownId}
                  onClick={() => room.showTopic(topicId)}
                >
                  {mutedTopics?.has(topicId) && <Icon name="mute" size={16} />}
                  <bdi className="truncate">{name}</bdi>
                  {count > 0 && (
                    <span className="count">
                      <UnreadNumber count={Math.min(count, max)} hasMore={hasMore || count > max} />
                    </span>
                  )}
                </button>
              );
            })}
        </div>
        {shownId !== null && (
          <IconButton
            icon="mute"
            label={isMuted ? getText('topics.unmute') : getText('topics.mute')}
            aria-pressed={isMuted}
            onClick={() => mute(shownId)}
          />
        )}
      </nav>
      {movedMessage && (
        <OnDemand code={moveDialog} onFailure={onMoveEnd}>
          {({ MoveDialog }) => (
            <MoveDialog classId={classId} room={room} message={movedMessage} onClose={onMoveEnd} />
          )}
        </OnDemand>
      )}
    </>
  );
}
