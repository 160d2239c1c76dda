// The viewer's own questions that wait for release, or came back, above the message field: there they would be if they were
// unsent messages.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import type { Lecture } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import { replaceMentionsWithNames } from '#web/mention-names.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { useIsLectureOn } from '#web/data/lectures.ts';
import { pollWhileUnreachable } from '#web/data/query-client.ts';
import { pollMs } from '#web/data/waiting-questions.ts';
import { getText } from '#web/get-text.ts';
import type { Room } from '#web/sync/room/room.ts';
import { useCopyText } from '#web/ui/copy-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import { useStore } from '#web/use-store.ts';
import styles from './own-waiting.module.css';

interface Props {
  classId: string;
  room: Room;
  /** The last lecture of the class. */
  lecture: Lecture;
}

export function OwnWaiting({ classId, room, lecture }: Props) {
  const copy = useCopyText();
  const questions = useOwnWaiting({ classId, room, lecture });
  const { change, isChanging } = useChange({ classId, lecture });
  const view = useStore(room);
  const focusProps = useLostFocus();
  return (
    <div role="status" tabIndex={-1} {...focusProps}>
      {questions.length > 0 && (
        <ul className={styles.waiting} aria-label={getText('lectures.ownWaiting.label')}>
          {questions.map((question) => {
            const { messageId, text, returned } = question;
            const shownText = replaceMentionsWithNames(text, view.personas);
            return (
              <li key={messageId} className={styles.question}>
                <p className="clamp" dir="auto">
                  {shownText}
                </p>
                <div className={styles.state}>
                  <span className={styles.sentence}>
                    <Icon name={returned ? 'alert' : 'clock'} size={16} />
                    {returned
                      ? getText('lectures.ownWaiting.returned')
                      : getText('lectures.ownWaiting.waits')}
                  </span>
                  <span className={styles.actions}>
                    {returned && (
                      <TextButton
                        aria-disabled={isChanging}
                        onClick={() => change({ messageId, kind: 'send' })}
                      >
                        {getText('lectures.ownWaiting.sendAgain')}
                      </TextButton>
                    )}
                    <TextButton onClick={() => void copy(shownText)}>
                      {getText('common.copy')}
                    </TextButton>
                    <TextButton
                      aria-disabled={isChanging}
                      onClick={() => change({ messageId, kind: 'withdraw' })}
                    >
                      {returned
                        ? getText('common.delete')
                        : getText('lectures.ownWaiting.takeBack')}
                    </TextButton>
                  </span>
                </div>
              </li>
            );
          })}
        </ul>
      )}
    </div>
  );
}

type OwnList = CallReply<'listOwnWaiting'>;

const toQueryKey = ({ classId, lecture }: Pick<Props, 'classId' | 'lecture'>) => {
  // A new lecture, and an end by hand, change what waits.
  return ['class', classId, 'ownWaiting', lecture.lectureId, lecture.lastSeq];
};

function useOwnWaiting({ classId, room, lecture }: Props): OwnList['ownWaiting'] {
  const client = useQueryClient();
  const isOn = useIsLectureOn(room, lecture);
  const queryKey = toQueryKey({ classId, lecture });
  const query = useQuery({
    queryKey,
    queryFn: () => call('listOwnWaiting', { params: { classId } }),
    gcTime: 0,
    staleTime: 0,
    refetchInterval: (current) => {
      // Staff may discard a question at any time, and no frame says so.
      const isWaiting = current.state.data?.ownWaiting.some(({ returned }) => !returned);
      return isOn && isWaiting ? pollMs : pollWhileUnreachable(current);
    },
  });
  useAcceptedQuestions(room, (messageId, text) => {
    if (isOn && lecture.holdsQuestions) {
      client.setQueryData<OwnList>(queryKey, (list) => {
        const otherQuestions =
          list?.ownWaiting.filter((item) => item.messageId !== messageId) ?? [];
        return { ownWaiting: [...otherQuestions, { messageId, text, returned: false }] };
      });
    }
    void client.invalidateQueries({ queryKey });
  });
  const { newest } = useStore(room);
  const releasedIds = new Set(newest.map(({ id }) => id));
  return (query.data?.ownWaiting ?? [])
    .filter(({ messageId }) => !releasedIds.has(messageId))
    .map((item) => ({ ...item, returned: item.returned || !isOn }));
}

/**
 * Calls `onAccepted` for each unsent question that is gone and not in the log: this tab or another one has sent it, and it waits.
 * The view has no unsent messages while the viewer reads old ones.
 */
function useAcceptedQuestions(
  room: Room,
  onAccepted: (messageId: string, text: string) => void,
): void {
  const notify = useEffectEvent(onAccepted);
  useEffect(() => {
    let unsent = new Map<string, string>();
    const check = () => {
      const { messages, newer } = room.getSnapshot();
      if (newer !== 'none') return;
      const ids = new Set(messages.map(({ id }) => id));
      for (const [id, text] of unsent) if (!ids.has(id)) notify(id, text);
      const questions = messages.filter(
        ({ seq, question, delivery }) => seq === null && question && delivery !== 'failed',
      );
      unsent = new Map(questions.map(({ id, text }) => [id, text]));
    };
    check();
    return room.subscribe(check);
  }, [room]);
}

interface Change {
  messageId: string;
  kind: 'send' | 'withdraw';
}

/** Sends a question again, or takes it back. A notice says what failed. */
function useChange({ classId, lecture }: Pick<Props, 'classId' | 'lecture'>) {
  const client = useQueryClient();
  const notify = useNotify();
  const changing = useMutation({
    mutationFn: ({ messageId, kind }: Change) =>
      call(kind === 'send' ? 'sendWaiting' : 'withdrawWaiting', { params: { classId, messageId } }),
    onError: (error) => notify({ text: toErrorMessage(error) }),
    onSettled: () => client.invalidateQueries({ queryKey: toQueryKey({ classId, lecture }) }),
  });
  return { change: changing.mutate, isChanging: changing.isPending };
}
