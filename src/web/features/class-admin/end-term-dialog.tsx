import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { Term } from '#contract/class-admin.ts';
import { formatTerm, toClassLabel } from '#contract/class-label.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { adminKey, useAllClasses } from '#web/data/admin.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { formatQuantity, formatCount } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import styles from './classes-page.module.css';

const formatClassCount = (total: number) =>
  total === 1 ? '1 class' : `${formatCount(total)} classes`;

interface Props {
  /** Ended terms leave the list of the page, but not this dialog. */
  terms: readonly Term[];
  /** The term that the dialog suggests. */
  oldestTerm: Term;
  /** An ended class can be reopened for this many days. */
  reopenDays: number;
  onClose: () => void;
}

/** Ends all classes of a term, in batches. Closing the dialog stops after a batch; the operator can continue later. */
export function EndTermDialog({ terms, oldestTerm, reopenDays, onClose }: Props) {
  const [term, setTerm] = useState(oldestTerm);
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const notify = useNotify();
  const client = useQueryClient();
  const isOpen = useRef(true);
  const progressId = useId();
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const preview = useAllClasses({
    status: 'active',
    season: term.semesterSeason,
    year: term.year,
  });
  const isRunning = progress !== null && problem === null;

  const run = async () => {
    setProblem(null);
    let done = progress?.done ?? 0;
    setProgress({ done, all: done + term.activeTotal });
    try {
      const { semesterSeason, year } = term;
      for (let remaining = 1; remaining > 0 && isOpen.current;) {
        const reply = await call('endTerm', { body: { semesterSeason, year } });
        ({ remaining } = reply);
        done += reply.endedTotal;
        setProgress({ done, all: done + remaining });
      }
      notify({ text: `${formatClassCount(done)} of ${formatTerm(term)} ended.` });
      if (isOpen.current) onClose();
    } catch (error) {
      setProblem(toErrorMessage(error));
    } finally {
      void client.invalidateQueries({ queryKey: [...adminKey, 'classes'] });
    }
  };

  const { classes = [], total = term.activeTotal } = preview.isPlaceholderData
    ? {}
    : (preview.data ?? {});
  const startLabel = isRunning ? 'Ending…' : `End ${formatClassCount(total)}`;
  return (
    <Modal
      title="End a term"
      text={`The classes become read-only for everyone. ${
        reopenDays > 0
          ? `You can reopen them one by one for ${formatQuantity(reopenDays, 'day')}. Then no one can link their messages to accounts any more.`
          : 'No one can link their messages to accounts any more. This cannot be undone.'
      }`}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>{isRunning ? 'Stop' : 'Cancel'}</Button>
          <Button
            variant="danger"
            aria-disabled={isRunning}
            onClick={() => !isRunning && void run()}
          >
            {problem !== null ? 'Continue' : startLabel}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <SelectField
          label="Term"
          value={formatTerm(term)}
          disabled={progress !== null}
          onChange={({ target }) =>
            setTerm(
              terms.find((listedTerm) => formatTerm(listedTerm) === target.value) ?? oldestTerm,
            )
          }
        >
          {terms.map((listedTerm) => (
            <option key={formatTerm(listedTerm)} value={formatTerm(listedTerm)}>
              {formatTerm(listedTerm)} ({formatClassCount(listedTerm.activeTotal)})
            </option>
          ))}
        </SelectField>
        {progress === null && (
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
          <div className={styles.preview} role="group" aria-label="These classes end" tabIndex={0}>
            <ul>
              {classes.map((listedClass) => (
                <li key={listedClass.classId}>
                  {toClassLabel(listedClass)}{' '}
                  <bdi className={styles.meta}>{formatClassName(listedClass)}</bdi>
                </li>
              ))}
            </ul>
            {total > classes.length && classes.length > 0 && (
              <p className={styles.meta}>and {formatCount(total - classes.length)} more</p>
            )}
          </div>
        )}
        {progress !== null && (
          <div>
            <label htmlFor={progressId} role="status">
              {formatCount(progress.done)} of {formatClassCount(progress.all)} ended
            </label>
            <progress
              id={progressId}
              className={styles.progress}
              value={progress.done}
              max={progress.all}
            />
          </div>
        )}
        <Callout kind="error">{problem}</Callout>
      </div>
    </Modal>
  );
}
