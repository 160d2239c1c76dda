import { type ReactNode, useState } from 'react';
import type { Case } from '#contract/moderation.ts';
import { isUrgentReason, type ReportReason, reportReasons } from '#contract/report-reasons.ts';
import { compareText } from '#contract/text-order.ts';
import { toErrorMessage } from '#web/api.ts';
import type { useCases } from './moderation.ts';
import { toDecisionLabel, formatShortDay, reasonLabels } from '#web/data/moderation-labels.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { markupParser } from '#web/markup/markup-parser.ts';
import { Button } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { SelectField } from '#web/ui/select-field.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { countReasons, toEvidenceExcerpt } from './case-text.ts';
import { type DeskFilter, states } from './use-case-filter.ts';
import styles from './case-queue.module.css';
import { EntryAuthor } from '#web/ui/message-entry.tsx';
import { Status } from '#web/ui/status.tsx';
import { useStore } from '#web/use-store.ts';

interface Props {
  casesQuery: ReturnType<typeof useCases>;
  /** Undefined until the first page has arrived. */
  cases: readonly Case[] | undefined;
  filter: DeskFilter;
  /** The query of the URL. */
  search: string;
  selectedId: string | null;
  onFilter: (change: Partial<DeskFilter>) => void;
}

/** The cases, newest first, with filters. */
export function CaseQueue(props: Props) {
  const { casesQuery, filter, onFilter } = props;
  return (
    <section className={styles.queue} aria-label={getText('moderation.queue.title')}>
      <Filters casesQuery={casesQuery} filter={filter} onFilter={onFilter} />
      <List {...props} />
    </section>
  );
}

function Filters({
  casesQuery,
  filter,
  onFilter,
}: Pick<Props, 'casesQuery' | 'filter' | 'onFilter'>) {
  const classes = useKnownClasses(casesQuery, filter.classId);
  return (
    <div className={styles.filters} role="group" aria-label={getText('moderation.queue.filters')}>
      <div className={styles.states} role="group" aria-label={getText('moderation.queue.state')}>
        {states.map((state) => (
          <button
            key={state}
            type="button"
            aria-pressed={filter.state === state}
            onClick={() => onFilter({ state })}
          >
            {stateLabels[state]}
          </button>
        ))}
      </div>
      {(classes.length > 1 || filter.classId !== null) && (
        <SelectField
          label={getText('moderation.queue.class')}
          value={filter.classId ?? ''}
          onChange={({ target }) => onFilter({ classId: target.value || null })}
        >
          <option value="">{getText('moderation.queue.allClasses')}</option>
          {classes.map(([classId, label]) => (
            <option key={classId} value={classId}>
              {label}
            </option>
          ))}
        </SelectField>
      )}
      <SelectField
        label={getText('moderation.queue.reason')}
        value={filter.reason ?? ''}
        onChange={({ target }) =>
          onFilter({ reason: (target.value || null) as ReportReason | null })
        }
      >
        <option value="">{getText('moderation.queue.allReasons')}</option>
        {reportReasons.map((reason) => (
          <option key={reason} value={reason}>
            {reasonLabels[reason]}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** The classes of all cases that this screen has shown, so that a filter does not remove the other choices. */
function useKnownClasses(casesQuery: Props['casesQuery'], chosenId: string | null) {
  const [knownClasses, setKnownClasses] = useState<ReadonlyMap<string, string>>(new Map());
  const listedCases = casesQuery.data?.pages.flatMap((page) => page.cases) ?? [];
  const addedCases = listedCases.filter(({ classId }) => !knownClasses.has(classId));
  if (addedCases.length > 0) {
    setKnownClasses(
      new Map([
        ...knownClasses,
        ...addedCases.map(({ classId, label }) => [classId, label] as const),
      ]),
    );
  }
  const all = new Map(knownClasses);
  if (chosenId !== null && !all.has(chosenId)) all.set(chosenId, getText('moderation.thisClass'));
  return [...all].toSorted(([, a], [, b]) => compareText(a, b));
}

function List({ casesQuery, cases, filter, search, selectedId }: Props): ReactNode {
  if (casesQuery.isPending || cases === undefined) {
    if (casesQuery.isError) {
      return <QueryFailure className={styles.state} query={casesQuery} />;
    }
    return (
      <div className={styles.waiting} role="status" aria-label={getText('common.loadingStatus')}>
        {[140, 100, 160].map((width) => (
          <div key={width} className={styles.waitingRow}>
            <Skeleton width={width} />
            <Skeleton width="90%" />
          </div>
        ))}
      </div>
    );
  }
  return (
    <>
      {casesQuery.isError && (
        <div className={styles.stale} role="alert">
          <p>{getText('moderation.queue.stale', { problem: toErrorMessage(casesQuery.error) })}</p>
          <Button variant="plain" onClick={() => void casesQuery.refetch()}>
            {getText('common.retry')}
          </Button>
        </div>
      )}
      <Status>
        {cases.length === 0 && (
          <div className={styles.state}>
            <EmptyState text={toEmptyText(filter)} />
          </div>
        )}
      </Status>
      <ol
        className="divided"
        aria-label={getText('moderation.queue.title')}
        aria-busy={casesQuery.isFetching}
      >
        {cases.map((listedCase) => (
          <li key={listedCase.caseId}>
            <Link
              ref={listedCase.caseId === selectedId ? scrollIntoView : undefined}
              className="quiet entry"
              to={{ pathname: `/moderation/${listedCase.caseId}`, search }}
              aria-current={listedCase.caseId === selectedId ? 'true' : undefined}
              draggable={false}
            >
              <Row listedCase={listedCase} />
            </Link>
          </li>
        ))}
      </ol>
      {casesQuery.hasNextPage && (
        <div className={styles.more}>
          <Button
            aria-disabled={casesQuery.isFetchingNextPage}
            onClick={() => void casesQuery.fetchNextPage()}
          >
            {casesQuery.isFetchingNextPage
              ? getText('moderation.loading')
              : getText('common.showMore')}
          </Button>
        </div>
      )}
    </>
  );
}

function scrollIntoView(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}

function toEmptyText({ state, classId, reason }: DeskFilter): string {
  if (classId !== null || reason !== null) return getText('moderation.queue.emptyFiltered');
  return emptyTexts[state];
}

const stateLabels = getTexts('moderation.queue.state');

const emptyTexts = getTexts('moderation.queue.empty');

function Row({ listedCase }: { listedCase: Case }) {
  const { persona, label, evidence, messageId, shown, reports, decidedBy } = listedCase;
  const lastDay = reports.at(-1)?.day;
  // The excerpt has its marks until the parser has loaded.
  useStore(markupParser);
  return (
    <>
      <EntryAuthor name={persona.anonymousName} icon={persona.icon} persona={persona}>
        <span className={styles.meta}>
          <bdi>{label}</bdi>
          {lastDay && (
            <>
              {getText('format.comma')}
              <time dateTime={lastDay}>{formatShortDay(lastDay)}</time>
            </>
          )}
        </span>
      </EntryAuthor>
      <span className={styles.text} dir="auto">
        {messageId === null ? getText('moderation.personReported') : toEvidenceExcerpt(evidence)}
      </span>
      <span className={styles.tags}>
        {decidedBy !== null && (
          <Tag>
            {getText('moderation.queue.decidedBy', {
              decision: toDecisionLabel(listedCase),
              name: decidedBy,
            })}
          </Tag>
        )}
        {countReasons(reports).map(([reason, count]) => (
          <Tag key={reason} urgent={isUrgentReason(reason)}>
            {reasonLabels[reason]}
            {count > 1 && ` × ${count}`}
          </Tag>
        ))}
        {listedCase.reviews
          .filter((review) => review.state === 'open')
          .map(({ reviewId, kind }) => (
            <Tag key={reviewId}>{getText('moderation.queue.review', { kind })}</Tag>
          ))}
        {shown === 'hidden' && <Tag>{getText('moderation.queue.hidden')}</Tag>}
        {shown === 'deleted' && <Tag>{getText('moderation.deletedByAuthor')}</Tag>}
      </span>
    </>
  );
}
