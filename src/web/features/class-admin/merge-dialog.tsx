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
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useDelayed } from './use-delayed.ts';
import { useMergePreview } from './class-admin.ts';
import classes from './classes-page.module.css';
import styles from './merge-dialog.module.css';

interface Props {
  /** The class that ends. */
  of: ListedClass;
  onClose: () => void;
}

/** Merges a duplicate into the class that the operator chooses. Closing the dialog stops it; it can continue later. */
export function MergeDialog({ of, onClose }: Props) {
  const label = toClassLabel(of);
  const [text, setText] = useState(label);
  const [kept, setKept] = useState<ListedClass | null>(null);
  const [progress, setProgress] = useState<{ done: number; all: number } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const notify = useNotify();
  const client = useQueryClient();
  const progressId = useId();
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  const preview = useMergePreview(of.classId, kept?.classId ?? null);
  const isRunning = progress !== null && problem === null;

  const run = async (keptClassId: string) => {
    setProblem(null);
    let { done, all } = progress ?? { done: 0, all: 1 };
    setProgress({ done, all });
    try {
      for (let stepsLeft = 1; stepsLeft > 0 && isOpen.current;) {
        const params = { classId: of.classId };
        ({ stepsLeft } = await call('mergeClass', { params, body: { keptClassId } }));
        done += 1;
        all = done + stepsLeft;
        setProgress({ done, all });
      }
      if (done < all) return;
      notify({ text: `${label} is merged.` });
      if (isOpen.current) onClose();
    } catch (error) {
      setProblem(toErrorMessage(error));
      // Nothing has changed, so another class can be chosen.
      if (done === 0) setProgress(null);
    } finally {
      void client.invalidateQueries({ queryKey: [...adminKey, 'classes'] });
    }
  };

  const refusal = preview.error ? toErrorMessage(preview.error) : null;
  const mayMerge = kept !== null && preview.data !== undefined && !isRunning;
  const startLabel = progress === null ? 'Merge' : 'Continue';
  return (
    <Modal
      title={`Merge ${label}`}
      text={`The members of ‘${formatClassName(of)}’ join the class that you choose, with new personas. Then it ends. Its messages stay in it and can still be read.`}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>{isRunning ? 'Stop' : 'Cancel'}</Button>
          <Button
            variant="danger"
            aria-disabled={isRunning || (kept !== null && !mayMerge)}
            onClick={() => {
              if (mayMerge) void run(kept.classId);
              else if (!kept) setProblem('Choose the class that stays.');
            }}
          >
            {isRunning ? 'Merging…' : startLabel}
          </Button>
        </>
      }
    >
      <div className={classes.form}>
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
              of={of}
              text={text}
              kept={kept}
              onChoose={(one) => {
                setKept(one);
                setProblem(null);
              }}
            />
          </>
        )}
        {kept && (
          <div role="status" className={styles.preview}>
            {preview.data && progress === null && (
              <>
                <p>
                  The duplicate has {formatQuantity(of.memberCount, 'member')}, the class that stays{' '}
                  {formatQuantity(kept.memberCount, 'member')}.{' '}
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
        <Callout kind="error">{problem ?? refusal}</Callout>
      </div>
    </Modal>
  );
}

interface CandidatesProps {
  of: ListedClass;
  text: string;
  kept: ListedClass | null;
  onChoose: (kept: ListedClass) => void;
}

/** Active classes of the same term. The chosen one stays in the list whatever is searched. */
function Candidates({ of, text, kept, onChoose }: CandidatesProps) {
  const name = useId();
  const season = semesterSeasons.find((one) => one === of.semesterSeason);
  const found = useAllClasses(
    useDelayed({
      status: 'active',
      ...(text.trim() && { query: text.trim() }),
      ...(season && { season }),
      ...(of.year !== null && { year: of.year }),
    }),
  );
  const others = (found.data?.classes ?? []).filter(({ classId }) => classId !== of.classId);
  // The arrow keys choose, so a choice does not change the order.
  const isListed = others.some(({ classId }) => classId === kept?.classId);
  const shown = kept && !isListed ? [kept, ...others] : others;
  const total = found.data?.total ?? 0;
  return (
    <fieldset className={styles.candidates}>
      <legend>Class that stays</legend>
      {shown.map((one) => (
        <label key={one.classId}>
          <input
            type="radio"
            name={name}
            checked={one.classId === kept?.classId}
            onChange={() => onChoose(one)}
          />
          <span>
            {toClassLabel(one)} <bdi>{formatClassName(one)}</bdi>
            <span className={classes.meta}>
              {[one.sectionNumber && `Section ${one.sectionNumber}`, one.semesterSeason, one.year]
                .filter(Boolean)
                .join(' ')}
              , {formatQuantity(one.memberCount, 'member')}
            </span>
          </span>
        </label>
      ))}
      <p role="status" className={classes.meta}>
        {found.error && toErrorMessage(found.error)}
        {found.data && shown.length === 0 && 'No other active class of this term fits the search.'}
        {total > limits.listedClasses && 'There are more: search for more words.'}
      </p>
    </fieldset>
  );
}
