import { useId, useRef, useState } from 'react';
import type { ListedClass } from '#contract/class-admin.ts';
import { semesterSeasons } from '#contract/class-fields.ts';
import { toClassLabel } from '#contract/class-label.ts';
import { limits } from '#contract/limits.ts';
import { toErrorMessage } from '#web/api.ts';
import { useAllClasses } from '#web/data/admin.ts';
import { formatClassName } from '#web/data/class-details.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { TextField } from '#web/ui/text-field.tsx';
import { useWrongFieldFocus } from '#web/ui/use-wrong-field-focus.ts';
import { formatTermAndMembers, useDelayedQuery } from './class-admin.ts';
import classes from './classes-page.module.css';
import styles from './merge-dialog.module.css';

interface Props {
  /** The class that ends. */
  duplicate: ListedClass;
  onClose: () => void;
}

/** Merges a duplicate into the class that the operator chooses. */
export function MergeDialog({ duplicate, onClose }: Props) {
  const label = toClassLabel(duplicate);
  const [text, setText] = useState(label);
  const [keptClass, setKeptClass] = useState<ListedClass | null>(null);
  const params = { classId: duplicate.classId };
  const notify = useNotify();
  const merge = useCommand('mergeClass', {
    refreshes: ['listAllClasses'],
    onSuccess() {
      notify({ text: getText('classAdmin.merge.done', { className: label }) });
      onClose();
    },
  });
  /** The last attempt was rejected because no class was chosen. */
  const [isRejected, setIsRejected] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const focusWrongField = useWrongFieldFocus(form, false);
  const preview = useCall(
    'previewMerge',
    { params, query: { keptClassId: keptClass?.classId ?? '' } },
    { enabled: keptClass !== null },
  );
  const { isPending } = merge;

  const rejection = preview.error ? toErrorMessage(preview.error) : null;
  const mayMerge = keptClass !== null && preview.data !== undefined && !isPending;
  return (
    <Modal
      title={getText('classAdmin.merge.title', { className: label })}
      text={getText('classAdmin.merge.lead', { className: formatClassName(duplicate) })}
      onDismiss={onClose}
      actions={
        <>
          <Button onClick={onClose}>{getText('common.cancel')}</Button>
          <Button
            variant="danger"
            aria-disabled={isPending || (keptClass !== null && !mayMerge)}
            onClick={() => {
              if (mayMerge) merge.mutate({ params, body: { keptClassId: keptClass.classId } });
              setIsRejected(!keptClass);
              focusWrongField();
            }}
          >
            {isPending ? getText('classAdmin.merge.merging') : getText('classAdmin.merge.submit')}
          </Button>
        </>
      }
    >
      <div ref={form} className="stack-m">
        <TextField
          label={getText('classAdmin.merge.search')}
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
          problem={isRejected && !keptClass ? getText('classAdmin.merge.missing') : null}
          onChoose={(candidate) => {
            setKeptClass(candidate);
            merge.reset();
          }}
        />
        {keptClass && (
          <div role="status" className="stack-s">
            {preview.data && (
              <>
                <p>
                  {getText('classAdmin.merge.members', {
                    duplicateCount: duplicate.memberCount,
                    keptCount: keptClass.memberCount,
                  })}{' '}
                  {preview.data.isEnrolling
                    ? getText('classAdmin.merge.enrolls')
                    : getText('classAdmin.merge.sendsLink')}
                </p>
                <p>{getText('classAdmin.merge.lost', { roleCount: preview.data.roleTotal })}</p>
              </>
            )}
          </div>
        )}
        <Callout kind="error">{merge.error ? toErrorMessage(merge.error) : rejection}</Callout>
      </div>
    </Modal>
  );
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
      <legend>{getText('classAdmin.merge.label')}</legend>
      {shownClasses.map((candidate) => (
        <label key={candidate.classId} className="check-row">
          <input
            type="radio"
            name={name}
            checked={candidate.classId === keptClass?.classId}
            onChange={() => onChoose(candidate)}
          />
          <span>
            {toClassLabel(candidate)} <bdi>{formatClassName(candidate)}</bdi>
            <span className={classes.meta}>
              {candidate.sectionNumber &&
                getText('classAdmin.section', { section: candidate.sectionNumber })}{' '}
              {formatTermAndMembers(candidate)}
            </span>
          </span>
        </label>
      ))}
      <FieldProblem id={name}>{problem}</FieldProblem>
      <p role="status" className={classes.meta}>
        {candidatesQuery.error && toErrorMessage(candidatesQuery.error)}
        {candidatesQuery.data && shownClasses.length === 0 && getText('classAdmin.merge.empty')}
        {total > limits.listedClasses && getText('classAdmin.merge.more')}
      </p>
    </fieldset>
  );
}
