import { useMutation } from '@tanstack/react-query';
import { useId } from 'react';
import { defaultName } from '#contract/default-name.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { useRefreshReleasable, useReleasable } from '#web/data/waiting-questions.ts';
import { EntryAuthor } from '#web/ui/message-entry.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { PlainText } from '#web/ui/plain-text.tsx';
import { TextButton } from '#web/ui/text-button.tsx';
import { useLostFocus } from '#web/ui/use-lost-focus.ts';
import styles from './waiting-list.module.css';

/** The questions that wait for release, for those who hold the lecture. */
export function WaitingList({ classId }: { classId: string }) {
  const id = useId();
  const { questions, personas } = useReleasable(classId, true);
  const { decide, isDeciding } = useDecision(classId);
  const focusProps = useLostFocus();
  if (questions.length === 0) return null;
  return (
    <section className={styles.waiting} aria-labelledby={id} tabIndex={-1} {...focusProps}>
      <p id={id} className={styles.title}>
        Waiting for release · {questions.length}
      </p>
      <ol>
        {questions.map(({ messageId, memberId, text }) => {
          const persona = personas.get(memberId);
          return (
            <li key={messageId} className={styles.entry}>
              <EntryAuthor
                name={persona?.anonymousName ?? defaultName}
                icon={persona?.icon ?? memberId}
                persona={persona}
              >
                {null}
              </EntryAuthor>
              <PlainText text={text} names={personas} className={styles.text} />
              <div className={styles.actions}>
                <TextButton
                  aria-disabled={isDeciding}
                  onClick={() => decide({ messageId, text, kind: 'release' })}
                >
                  Release
                </TextButton>
                <TextButton
                  aria-disabled={isDeciding}
                  onClick={() => decide({ messageId, text, kind: 'discard' })}
                >
                  Discard
                </TextButton>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

interface Decision {
  messageId: string;
  text: string;
  kind: 'release' | 'discard';
}

/** Releases or discards a question. A notice says what failed. */
function useDecision(classId: string) {
  const notify = useNotify();
  const refresh = useRefreshReleasable(classId);
  const deciding = useMutation({
    mutationFn: async ({ messageId, text, kind }: Decision) => {
      const params = { classId, messageId };
      if (kind === 'release') {
        return (await call('releaseQuestion', { params, body: { text } })).released;
      }
      await call('returnQuestion', { params });
      return true;
    },
    onSuccess(isDone) {
      if (isDone) return;
      notify({
        text: 'This question cannot be released now. It went back to the person who asked.',
      });
    },
    onError: (error) => notify({ text: toErrorMessage(error) }),
    // The buttons wait for the new list.
    onSettled: refresh,
  });
  const decide = (decision: Decision) => {
    if (!deciding.isPending) deciding.mutate(decision);
  };
  return { decide, isDeciding: deciding.isPending };
}
