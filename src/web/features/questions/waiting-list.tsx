import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { defaultName } from '#contract/default-name.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { useRefreshReleasable, useReleasable } from '#web/data/waiting-questions.ts';
import { getText } from '#web/get-text.ts';
import { findTopicName, type RoomView } from '#web/sync/room/room.ts';
import { Button } from '#web/ui/button.tsx';
import { MentionProvider } from '#web/ui/mention.tsx';
import { EntryAuthor } from '#web/ui/message-entry.tsx';
import { MessageText } from '#web/ui/message-text.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import styles from './waiting-list.module.css';

/** The questions that wait for release, for those who hold the lecture. */
export function WaitingList({ classId, view }: { classId: string; view: RoomView }) {
  const id = useId();
  const { questions: allQuestions, personas } = useReleasable(classId, true);
  const releasing = useRelease(classId);
  const { discard, hiddenIds } = useDiscard(classId);
  const questions = allQuestions.filter(({ messageId }) => !hiddenIds.has(messageId));
  const focusProps = useLostFocus();
  if (questions.length === 0) return null;
  return (
    <section className="ruled" aria-labelledby={id} tabIndex={-1} {...focusProps}>
      <p id={id} className={styles.title}>
        {getText('questions.waiting.title', { count: questions.length })}
      </p>
      <ol className="divided">
        {questions.map((question) => {
          const { messageId, memberId, text } = question;
          const persona = personas.get(memberId);
          const topicName = findTopicName(view, question);
          return (
            <li key={messageId} className={styles.entry}>
              <EntryAuthor
                name={persona?.anonymousName ?? defaultName}
                icon={persona?.icon ?? memberId}
                persona={persona}
              >
                {null}
              </EntryAuthor>
              {/* Staff release what they have read, also what a spoiler hides. */}
              <MentionProvider view={{ personas, me: null, staff: null }}>
                <div className="typed" dir="auto">
                  <MessageText text={text} tabIndex={0} />
                </div>
              </MentionProvider>
              {topicName !== undefined && <bdi className="meta truncate">{topicName}</bdi>}
              <div className="row">
                <Button
                  aria-disabled={releasing.isPending}
                  onClick={() => releasing.mutate({ messageId, text })}
                >
                  {getText('questions.waiting.release')}
                </Button>
                <TextButton onClick={() => discard(messageId)}>
                  {getText('questions.discard')}
                </TextButton>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

/** How long 'Undo' is offered: as long as a notice with an action is shown. */
const undoMs = 10_000;

/** Hides a question, and discards it when that can no longer be undone. If the page closes before, the question still waits. */
function useDiscard(classId: string) {
  const notify = useNotify();
  const refresh = useRefreshReleasable(classId);
  const [hiddenIds, setHiddenIds] = useState<ReadonlySet<string>>(new Set());
  const show = (messageId: string) =>
    setHiddenIds((ids) => new Set([...ids].filter((id) => id !== messageId)));
  const returning = useMutation({
    mutationFn: (messageId: string) => call('returnQuestion', { params: { classId, messageId } }),
    onError(error, messageId) {
      show(messageId);
      notify({ text: toErrorMessage(error) });
    },
    onSettled: refresh,
  });
  const discard = (messageId: string) => {
    setHiddenIds((ids) => new Set(ids).add(messageId));
    const timer = setTimeout(() => returning.mutate(messageId), undoMs);
    const run = () => {
      clearTimeout(timer);
      show(messageId);
    };
    notify({
      text: getText('questions.discarded'),
      action: { label: getText('common.undo'), run, isUndo: true },
    });
  };
  return { discard, hiddenIds };
}

/** Posts a question for the class to see. A notice says what failed. */
function useRelease(classId: string) {
  const notify = useNotify();
  const refresh = useRefreshReleasable(classId);
  return useMutation({
    mutationFn: ({ messageId, text }: { messageId: string; text: string }) =>
      call('releaseQuestion', { params: { classId, messageId }, body: { text } }),
    onSuccess({ released }) {
      if (released) return;
      notify({
        text: getText('questions.waiting.failed'),
      });
    },
    onError: (error) => notify({ text: toErrorMessage(error) }),
    // The buttons wait for the new list.
    onSettled: refresh,
  });
}
