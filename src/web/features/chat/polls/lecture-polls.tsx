// The polls in the panel of a lecture: those of staff that are open, and what the member of staff has prepared.
import { useId, useState } from 'react';
import { isLectureOn } from '#contract/lecture-times.ts';
import type { PreparedItem } from '#contract/lectures.ts';
import { useCall, useNoticedCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import type { Room, RoomMessage, RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { useStore } from '#web/use-store.ts';
import { PollNote } from './poll-note.tsx';
import { PrepareDialog } from './prepare-dialog.tsx';
import styles from './lecture-polls.module.css';

interface Props {
  classId: string;
  room: Room;
}

export function LecturePolls({ classId, room }: Props) {
  const id = useId();
  const view = useStore(room);
  const focusProps = useLostFocus();
  const maySpeak = view.staff?.maySpeak === true;
  const { data } = useCall('readPreparation', { params: { classId } }, { enabled: maySpeak });
  /** 'new', or what is changed. */
  const [edited, setEdited] = useState<PreparedItem | 'new' | null>(null);
  const polls = listStaffPolls(view);
  if (!maySpeak && polls.length === 0) return null;
  return (
    <section className={styles.polls} aria-labelledby={id} tabIndex={-1} {...focusProps}>
      <div className="row">
        <p id={id} className="grow strong">
          {getText('chat.polls.title')}
        </p>
        {maySpeak && (
          <Button onClick={() => setEdited('new')}>{getText('chat.polls.prepare')}</Button>
        )}
      </div>
      <ul className="stack-s">
        {polls.map((message) => (
          <OpenPoll key={message.id} classId={classId} room={room} view={view} message={message} />
        ))}
        {data?.preparedItems.map((item) => (
          <Prepared
            key={item.messageId}
            classId={classId}
            room={room}
            item={item}
            onEdit={() => setEdited(item)}
          />
        ))}
      </ul>
      {edited !== null && (
        <PrepareDialog
          classId={classId}
          item={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
        />
      )}
    </section>
  );
}

type StaffPoll = RoomMessage & { poll: NonNullable<RoomMessage['poll']> };

/** The open polls that staff asked, newest first. */
function listStaffPolls({ messages, personas }: RoomView): StaffPoll[] {
  return messages
    .filter((message): message is StaffPoll => {
      const { poll, memberId } = message;
      const isOpen = poll !== null && 'closesAt' in poll && poll.closesAt !== null;
      return isOpen && personas.get(memberId)?.staff === true;
    })
    .toReversed();
}

interface OpenPollProps extends Props {
  view: RoomView;
  message: StaffPoll;
}

/** A poll that members can vote in, with its result on request. */
function OpenPoll({ classId, room, view, message }: OpenPollProps) {
  const presenting = useNoticedCommand('presentPoll');
  const closing = useNoticedCommand('closePoll');
  const { lecture } = view.settings;
  const isOn = isLectureOn(lecture, room.serverNow());
  const isShown = isOn && lecture.pollId === message.id;
  const params = { classId };
  const present = () =>
    presenting.mutate({ params, body: { messageId: isShown ? null : message.id } });
  return (
    <li className={styles.poll} data-shown={isShown || undefined}>
      <PlainText text={message.text} names={view.personas} className="typed medium" />
      <PollNote
        classId={classId}
        message={message}
        poll={message.poll}
        room={room}
        me={view.me}
        canSend={false}
        tabIndex={0}
      />
      <div className="wrap">
        {isOn && (
          <Button aria-disabled={presenting.isPending} onClick={present}>
            {isShown ? getText('chat.polls.stopShowing') : getText('chat.poll.present')}
          </Button>
        )}
        <TextButton
          aria-disabled={closing.isPending}
          onClick={() => closing.mutate({ params: { classId, messageId: message.id } })}
        >
          {getText('chat.polls.close')}
        </TextButton>
      </div>
    </li>
  );
}

interface PreparedProps extends Props {
  item: PreparedItem;
  onEdit: () => void;
}

function Prepared({ classId, room, item, onEdit }: PreparedProps) {
  const deleting = useNoticedCommand('deletePrepared', { refreshes: ['readPreparation'] });
  const { messageId, text, poll } = item;
  const remove = () => deleting.mutate({ params: { classId, messageId } });
  const open = () => {
    room.postPrepared({ messageId, text, ...(poll ? { poll } : { question: true }) });
    remove();
  };
  return (
    <li className={styles.poll}>
      <PlainText text={text} names={new Map()} className="typed medium" />
      <p className="meta">
        {getText('chat.polls.onlyYou')} ·{' '}
        {poll ? poll.options.join(' · ') : getText('chat.polls.question')}
      </p>
      <div className="wrap">
        <Button aria-disabled={deleting.isPending} onClick={open}>
          {poll ? getText('chat.polls.open') : getText('chat.polls.askNow')}
        </Button>
        <TextButton onClick={onEdit}>{getText('common.edit')}</TextButton>
        <TextButton aria-disabled={deleting.isPending} onClick={remove}>
          {getText('common.delete')}
        </TextButton>
      </div>
    </li>
  );
}
