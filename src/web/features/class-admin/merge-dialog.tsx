import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useId, useRef, useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { adminKey, useAllClasses } from '#web/data/admin.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { formatQuantity } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import { useDelayedQuery, useMergePreview } from './class-admin.ts';
import classes from './classes-page.module.css';
import styles from './merge-dialog.module.css';

interface Props {
  /** The class that ends. */
  duplicate: ListedClass;
  onClose: () => void;
}

/** Merges a duplicate into the class that the operator chooses. Closing the dialog stops the merge for now. */
export function MergeDialog({ duplicate, onClose }: Props) {
  const label = toClassLabel(duplicate);
  const [text, setText] = useState(label);
  const [keptClass, setKeptClass] = useState<ListedClass | null>(null);
  const { progress, problem, setProblem, run } = useMerge(duplicate, onClose);
  /** The last attempt was rejected because no class was chosen. */
  const [isRejected, setIsRejected] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const focusWrongField = useWrongFieldFocus(form, false);
  const progressId = useId();
  const preview = useMergePreview(duplicate.classId, keptClass?.classId ?? null);
  const isRunning = progress !== null && problem === null;

  const rejection = preview.error ? toErrorMessage(preview.error) : null;
  const mayMerge = keptClass !== null && preview.data !== undefined && !isRunning;
  const startLabel = progress === null ? 'Merge' : 'Continue';
  return (
    <Modal
      title={`Merge ${label}`}
      text={`The members of ‘${formatClassName(duplicate)}’ join the class that you choose, with new personas. Then it ends. Its messages stay in it and can still be read.`}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>{isRunning ? 'Stop' : 'Cancel'}</Button>
          <Button
            variant="danger"
            aria-disabled={isRunning || (keptClass !== null && !mayMerge)}
            onClick={() => {
              if (mayMerge) void run(keptClass.classId);
              setIsRejected(!keptClass);
              focusWrongField();
            }}
          >
            {isRunning ? 'Merging…' : startLabel}
          </Button>
        </>
      }
    >
      <div ref={form} className={classes.form}>
        {progress === null && (
          <>
            <TextField
              label="Search the class that stays"
              type="search"
              dir="auto"
              autoComplete="off"
              maxLength={limits.searchQuery}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <Candidates
              duplicate={duplicate}
              text={text}
              keptClass={keptClass}
              problem={isRejected && !keptClass ? 'Choose the class that stays.' : null}
              onChoose={(candidate) => {
                setKeptClass(candidate);
                setProblem(null);
              }}
            />
          </>
        )}
        {keptClass && (
          <div role="status" className={styles.preview}>
            {preview.data && progress === null && (
              <>
                <p>
                  The duplicate has {formatQuantity(duplicate.memberCount, 'member')}, the class
                  that stays {formatQuantity(keptClass.memberCount, 'member')}.{' '}
                  {preview.data.isEnrolling
                    ? 'Who is in both keeps the persona there.'
                    : 'Moderators removed someone from the duplicate, so no one joins automatically: its members get a link.'}
                </p>
                <p>
                  Mutes, ignored people and other personal choices do not go along.
                  {preview.data.roleTotal > 0 &&
                    ` ${formatQuantity(preview.data.roleTotal, 'role')} of moderators and staff in the duplicate will not hold in the class that stays: grant those that you want there.`}
                </p>
              </>
            )}
          </div>
        )}
        {progress !== null && (
          <div>
            <label htmlFor={progressId} role="status">
              Step {progress.done} of {progress.all} done
            </label>
            <progress
              id={progressId}
              className={classes.progress}
              value={progress.done}
              max={progress.all}
            />
          </div>
        )}
        <Callout kind="error">{problem ?? rejection}</Callout>
      </div>
    </Modal>
  );
}

/** Merges step by step, until the dialog closes. */
function useMerge(duplicate: ListedClass, onClose: () => void) {
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const notify = useNotify();
  const client = useQueryClient();
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);

  const run = async (keptClassId: string) => {
    setProblem(null);
    let { done, all } = progress ?? { done: 0, all: 1 };
    setProgress({ done, all });
    try {
      for (let stepsLeft = 1; stepsLeft > 0 && isOpen.current;) {
        const params = { classId: duplicate.classId };
        ({ stepsLeft } = await call('mergeClass', { params, body: { keptClassId } }));
        done += 1;
        all = done + stepsLeft;
        setProgress({ done, all });
      }
      if (done < all) return;
      notify({ text: `${toClassLabel(duplicate)} is merged.` });
      if (isOpen.current) onClose();
    } catch (error) {
      setProblem(toErrorMessage(error));
      // Nothing has changed, so another class can be chosen.
      if (done === 0) setProgress(null);
    } finally {
      void client.invalidateQueries({ queryKey: [...adminKey, 'classes'] });
    }
  };

  return { progress, problem, setProblem, run };
}

interface CandidatesProps {
  duplicate: ListedClass;
  text: string;
  keptClass: ListedClass | null;
  problem: string | null;
  onChoose: (candidate: ListedClass) => void;
}

/** Active classes of the same term. The chosen class stays in the list even if the search does not find it. */
function Candidates({ duplicate, text, keptClass, problem, onChoose }: CandidatesProps) {
  const name = useId();
  const season = semesterSeasons.find((termSeason) => termSeason === duplicate.semesterSeason);
  const candidatesQuery = useAllClasses(
    useDelayedQuery({
      status: 'active',
      ...(text.trim() && { query: text.trim() }),
      ...(season && { season }),
      ...(duplicate.year !== null && { year: duplicate.year }),
    }),
  );
  const otherClasses = (candidatesQuery.data?.classes ?? []).filter(
    ({ classId }) => classId !== duplicate.classId,
  );
  // The arrow keys move the choice, so a choice must not change the order.
  const isListed = otherClasses.some(({ classId }) => classId === keptClass?.classId);
  const shownClasses = keptClass && !isListed ? [keptClass, ...otherClasses] : otherClasses;
  const total = candidatesQuery.data?.total ?? 0;
  return (
    <fieldset
      {...toControlProps(name, { problem })}
      className={styles.candidates}
      role="radiogroup"
    >
      <legend>Class that stays</legend>
      {shownClasses.map((candidate) => (
        <label key={candidate.classId}>
          <input
            type="radio"
            name={name}
            checked={candidate.classId === keptClass?.classId}
            onChange={() => onChoose(candidate)}
          />
          <span>
            {toClassLabel(candidate)} <bdi>{formatClassName(candidate)}</bdi>
            <span className={classes.meta}>
              {[
                candidate.sectionNumber && `Section ${candidate.sectionNumber}`,
                candidate.semesterSeason,
                candidate.year,
              ]
                .filter(Boolean)
                .join(' ')}
              , {formatQuantity(candidate.memberCount, 'member')}
            </span>
          </span>
        </label>
      ))}
      <FieldProblem id={name}>{problem}</FieldProblem>
      <p role="status" className={classes.meta}>
        {candidatesQuery.error && toErrorMessage(candidatesQuery.error)}
        {candidatesQuery.data &&
          shownClasses.length === 0 &&
          'No other active class of this term fits the search.'}
        {total > limits.listedClasses && 'There are more: search for more words.'}
      </p>
    </fieldset>
  );
}
