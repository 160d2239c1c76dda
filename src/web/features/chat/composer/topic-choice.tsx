// The topic of the next message. It loads if the class has topics.
import { getText } from '#web/get-text.ts';
import type { Room, RoomView } from '#web/sync/room/room.ts';
import { Icon } from '#web/ui/icon.tsx';
import styles from './topic-choice.module.css';

interface Props {
  room: Room;
  view: RoomView;
  onChosen: () => void;
}

export function TopicChoice({ room, view, onChosen }: Props) {
  const { settings, nextTopicId } = view;
  const topics = (settings.topics ?? []).filter(({ archived }) => !archived);
  return (
    <label className={styles.choice} data-chosen={nextTopicId !== null || undefined}>
      <Icon name="topic" size={16} />
      <select
        aria-label={getText('topics.topic')}
        value={nextTopicId ?? ''}
        onChange={({ target }) => {
          room.chooseTopic(target.value || null);
          onChosen();
        }}
      >
        <option value="">{getText('topics.none')}</option>
        {topics.map(({ topicId, name }) => (
          <option key={topicId} value={topicId}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
