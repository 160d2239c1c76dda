import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { EndedTerm, Term } from '#contract/class-admin.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { type ClassQuery, useAllClasses } from '#web/data/admin.ts';
import { formatClassName, formatTerm } from '#web/data/class-details.ts';
import { refreshCalls } from '#web/data/use-call.ts';
import { formatDay } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import styles from './classes-page.module.css';

/** A term whose classes the dialog ends or reopens together. */
export interface TermChoice {
  term: string;
  label: string;
  classTotal: number;
  /** Lists the classes; null if no list has exactly these. */
  preview: ClassQuery | null;
  runBatch: () => Promise<{ doneTotal: number; remaining: number }>;
}

export function toEndChoice({ semesterSeason, year, activeTotal }: Term): TermChoice {
  return {
    term: formatTerm({ semesterSeason, year }),
    label: formatTerm({ semesterSeason, year }),
    classTotal: activeTotal,
    preview: { status: 'active', season: semesterSeason, year },
    async runBatch() {
      const reply = await call('endTerm', { body: { semesterSeason, year } });
      return { doneTotal: reply.endedTotal, remaining: reply.remaining };
    },
  };
}

export function toReopenChoice({ endedTotal, ...body }: EndedTerm): TermChoice {
  const term = formatTerm(body);
  return {
    term,
    label: getText('classAdmin.term.endedChoice', { term, day: formatDay(body.reopenableUntil) }),
    classTotal: endedTotal,
    preview: null,
    async runBatch() {
      const reply = await call('reopenTerm', { body });
      return { doneTotal: reply.reopenedTotal, remaining: reply.remaining };
    },
  };
}

interface Props {
  act: 'end' | 'reopen';
  /** A choice leaves the list of the page when it is done, but not this dialog. */
  choices: readonly TermChoice[];
  suggestedChoice: TermChoice;
  /** What happens to the classes. */
  consequence: string;
  onClose: () => void;
}

/** Ends or reopens the classes of a term, in batches. Closing the dialog stops after a batch; the operator can continue later. */
export function TermDialog({ act, choices, suggestedChoice, consequence, onClose }: Props) {
  const [choice, setChoice] = useState(suggestedChoice);
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
  const preview = useAllClasses(choice.preview ?? {}, choice.preview !== null);
  const isRunning = progress !== null && problem === null;

  const run = async () => {
    setProblem(null);
    let done = progress?.done ?? 0;
    setProgress({ done, all: done + choice.classTotal });
    try {
      for (let remaining = 1; remaining > 0 && isOpen.current;) {
        const batch = await choice.runBatch();
        ({ remaining } = batch);
        done += batch.doneTotal;
        setProgress({ done, all: done + remaining });
      }
      notify({ text: getText('classAdmin.term.done', { act, count: done, term: choice.term }) });
      if (isOpen.current) onClose();
    } catch (error) {
      setProblem(toErrorMessage(error));
    } finally {
      void refreshCalls(client, ['listAllClasses']);
    }
  };

  const { classes = [], total = choice.classTotal } =
    preview.isPlaceholderData || choice.preview === null ? {} : (preview.data ?? {});
  const startLabel = isRunning
    ? getText('classAdmin.term.running', { act })
    : getText('classAdmin.term.start', { act, count: total });
  return (
    <Modal
      title={getText('classAdmin.term.title', { act })}
      text={consequence}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>
            {isRunning ? getText('classAdmin.term.stop') : getText('common.cancel')}
          </Button>
          <Button
            variant={act === 'end' ? 'danger' : 'primary'}
            aria-disabled={isRunning}
            onClick={() => void run()}
          >
            {problem !== null ? getText('classAdmin.term.continue') : startLabel}
          </Button>
        </>
      }
    >
      <div className="stack-m">
        <SelectField
          label={getText('classAdmin.term.label')}
          value={choice.label}
          disabled={progress !== null}
          onChange={({ target }) =>
            setChoice(choices.find(({ label }) => label === target.value) ?? suggestedChoice)
          }
        >
          {choices.map(({ label, classTotal }) => (
            <option key={label} value={label}>
              {getText('classAdmin.term.choice', { term: label, count: classTotal })}
            </option>
          ))}
        </SelectField>
        {progress === null && choice.preview !== null && (
          <div
            className={styles.preview}
            role="group"
            aria-label={getText('classAdmin.term.preview')}
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
            tabIndex={0}
          >
            <ul>
              {classes.map((listedClass) => (
                <li key={listedClass.classId}>
                  {toClassLabel(listedClass)}{' '}
                  <bdi className={styles.meta}>{formatClassName(listedClass)}</bdi>
                </li>
              ))}
            </ul>
            {total > classes.length && classes.length > 0 && (
              <p className={styles.meta}>
                {getText('classAdmin.term.more', { count: total - classes.length })}
              </p>
            )}
          </div>
        )}
        {progress !== null && (
          <div>
            <label htmlFor={progressId} role="status">
              {getText('classAdmin.term.progress', { act, ...progress })}
            </label>
            <progress id={progressId} value={progress.done} max={progress.all} />
          </div>
        )}
        <Callout kind="error">{problem}</Callout>
      </div>
    </Modal>
  );
}
