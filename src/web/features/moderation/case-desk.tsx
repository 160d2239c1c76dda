import { useEffect, useState } from 'react';
import { useMatch } from 'react-router';
import type { Case, Review } from '#contract/moderation.ts';
import { useCase, useCases, usePrefetchCase } from './moderation.ts';
import { guardReload } from '#web/data/reload-guard.ts';
import { useIsOperator } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useIsNarrow } from '#web/ui/use-media-query.ts';
import { CaseDetail } from './case-detail.tsx';
import { CaseQueue } from './case-queue.tsx';
import { type Draft, emptyDraft, outcomes, listOutcomes } from './decision.ts';
import { PendingDecisions, usePendingDecisions } from './pending-decisions.tsx';
import { listDecisions, emptyReviewDraft, findNextReview, type ReviewDraft } from './review.ts';
import { ReviewForm } from './review-form.tsx';
import { type DeskFilter, useCaseFilter } from './use-case-filter.ts';
import { useModerationKeys } from './use-moderation-keys.ts';
import styles from './moderation-screen.module.css';

/** The queue and the selected case. On a narrow screen only one of them is visible. */
export function CaseDesk() {
  const selectedId = useMatch('/moderation/:caseId')?.params.caseId ?? null;
  const { filter, setFilter, search, select } = useCaseFilter(selectedId);
  const casesQuery = useCases(filter);
  const cases = casesQuery.data?.pages.flatMap((page) => page.cases).filter(hasReason(filter));
  const selected = useSelectedCase(selectedId, cases);
  const narrow = useIsNarrow();
  /** What the moderator typed and chose for each case. A change of the case by others keeps the draft. */
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const draft = (selectedId !== null && drafts[selectedId]) || emptyDraft;
  const setDraft = (caseId: string, change: Partial<Draft>) =>
    setDrafts((all) => ({ ...all, [caseId]: { ...emptyDraft, ...all[caseId], ...change } }));
  /** Reasons of this visit, newest first, to suggest them again. */
  const [givenDecisions, setGivenDecisions] = useState<
    readonly Pick<Draft, 'outcome' | 'reason'>[]
  >([]);
  const suggestions = givenDecisions.filter(({ outcome }) => outcome === draft.outcome);
  /** The case whose heading takes the focus when it appears. */
  const [focusedId, setFocusedId] = useState<string | null>(null);
  const isOperator = useIsOperator();
  const review = selected?.state === 'decided' ? findNextReview(selected, isOperator) : null;
  const [reviewDrafts, setReviewDrafts] = useState<Readonly<Record<string, ReviewDraft>>>({});
  const reviewDraft = (review && reviewDrafts[review.reviewId]) ?? emptyReviewDraft;
  const setReviewDraft = (reviewId: string, change: Partial<ReviewDraft>) =>
    setReviewDrafts((all) => ({
      ...all,
      [reviewId]: { ...emptyReviewDraft, ...all[reviewId], ...change },
    }));
  const pendingDecisions = usePendingDecisions(
    ({ decidedCase, review: undoneReview, draft: typedDraft }) => {
      if (undoneReview) {
        setReviewDraft(undoneReview.reviewId, { ...typedDraft, isChosenByKey: false });
      } else setDraft(decidedCase.caseId, { ...typedDraft, takesFocus: false });
      setFocusedId(decidedCase.caseId);
      select(decidedCase.caseId, selectedId !== null);
    },
  );

  const hasUnsaved =
    pendingDecisions.decisions.length > 0 ||
    Object.values(drafts).some(({ outcome, reason }) => outcome !== null || reason !== '') ||
    Object.values(reviewDrafts).some(({ decision, reason }) => decision !== null || reason !== '');
  useEffect(() => guardReload(() => hasUnsaved), [hasUnsaved]);

  // The reason is no filter of the server's: an empty page says nothing about the next one.
  const { hasNextPage, isFetchingNextPage, isError, fetchNextPage } = casesQuery;
  const isSearching = cases?.length === 0 && hasNextPage && !isError;
  useEffect(() => {
    if (isSearching && !isFetchingNextPage) void fetchNextPage();
  }, [isSearching, isFetchingNextPage, fetchNextPage]);

  // Next to the queue, a case is always open.
  const firstId = selectedId === null && !narrow ? cases?.[0]?.caseId : undefined;
  useEffect(() => {
    if (firstId !== undefined) select(firstId, true);
  }, [firstId, select]);

  const index = cases?.findIndex(({ caseId }) => caseId === selectedId) ?? -1;
  usePrefetchCase(cases?.[index + 1]);
  const step = (offset: 1 | -1) => {
    const next = cases?.[index < 0 ? 0 : index + offset];
    if (!next) return;
    setFocusedId(next.caseId);
    select(next.caseId, selectedId !== null);
  };
  const choose = (key: number) => {
    const outcome = outcomes[key - 1];
    const decision = review && listDecisions(review)[key - 1];
    if (selected?.state === 'open' && outcome && listOutcomes(selected).includes(outcome)) {
      setDraft(selected.caseId, { outcome, takesFocus: true });
    } else if (review && decision) {
      setReviewDraft(review.reviewId, { decision, isChosenByKey: true });
    }
  };
  useModerationKeys({
    step,
    choose,
    undo: pendingDecisions.undoLast,
    close: () => {
      if (draft.outcome !== null && selectedId !== null) setDraft(selectedId, { outcome: null });
      else if (review && reviewDraft.decision !== null) {
        setReviewDraft(review.reviewId, { decision: null });
      } else if (narrow && selectedId !== null) select(null, false);
    },
  });

  const onDecided = (decidedCase: Case) => {
    pendingDecisions.add({ decidedCase, review: null, draft });
    setDraft(decidedCase.caseId, emptyDraft);
    const newDecision = { outcome: draft.outcome, reason: draft.reason.trim() };
    setGivenDecisions((all) => [
      newDecision,
      ...all.filter(({ reason }) => reason !== newDecision.reason),
    ]);
    selectNext(decidedCase, ['open']);
  };
  const onReviewed = (decidedCase: Case, reviewed: Review) => {
    pendingDecisions.add({ decidedCase, review: reviewed, draft: reviewDraft });
    setReviewDraft(reviewed.reviewId, emptyReviewDraft);
    selectNext(decidedCase, ['escalated', 'appeals']);
  };
  /** Selects the next case, if the decided one is still on screen and leaves the list. */
  const selectNext = ({ caseId }: Case, states: readonly DeskFilter['state'][]) => {
    if (location.pathname !== `/moderation/${caseId}` || !states.includes(filter.state)) return;
    const caseIndex = cases?.findIndex((listedCase) => listedCase.caseId === caseId) ?? -1;
    const next = cases?.[caseIndex + 1] ?? cases?.[caseIndex - 1];
    const nextId = narrow ? null : (next?.caseId ?? null);
    setFocusedId(nextId);
    select(nextId, true);
    // The form, which had the focus, disappears.
    if (nextId === null) document.querySelector<HTMLElement>('#main')?.focus();
  };
  return (
    <div className={styles.desk}>
      {(!narrow || selectedId === null) && (
        <CaseQueue
          casesQuery={casesQuery}
          cases={isSearching ? undefined : cases}
          filter={filter}
          search={search}
          selectedId={selectedId}
          onFilter={setFilter}
        />
      )}
      {(!narrow || selectedId !== null) && (
        <section className={styles.detail} aria-label={getText('moderation.case.label')}>
          {selected ? (
            <CaseDetail
              key={selected.caseId}
              caseDetails={selected}
              draft={draft}
              takesFocus={selected.caseId === focusedId}
              suggestions={suggestions.map(({ reason }) => reason)}
              backTo={narrow ? { pathname: '/moderation', search } : null}
              onDraft={(change) => setDraft(selected.caseId, change)}
              onDecided={onDecided}
              helpLine={casesQuery.data?.pages[0]?.helpLine ?? null}
              reviewForm={
                review && (
                  <ReviewForm
                    key={review.reviewId}
                    review={review}
                    draft={reviewDraft}
                    onDraft={(change) => setReviewDraft(review.reviewId, change)}
                    onDecided={onReviewed}
                  />
                )
              }
            />
          ) : (
            <NoCase isMissing={selectedId !== null && cases !== undefined} />
          )}
        </section>
      )}
      <PendingDecisions
        decisions={pendingDecisions.decisions}
        onUndo={pendingDecisions.undo}
        onEnd={pendingDecisions.remove}
      />
    </div>
  );
}

function NoCase({ isMissing }: { isMissing: boolean }) {
  if (!isMissing) return null;
  return (
    <div className="middle">
      <EmptyState text={getText('moderation.case.missing')} />
    </div>
  );
}

const hasReason =
  ({ reason }: DeskFilter) =>
  ({ reports }: Case) =>
    reason === null || reports.some((report) => report.reason === reason);

/**
 * The selected case. If it leaves the list because another moderator decides it, it stays on screen with its new
 * state.
 */
function useSelectedCase(
  selectedId: string | null,
  cases: readonly Case[] | undefined,
): Case | null {
  const [shownCase, setShownCase] = useState<Case | null>(null);
  const listedCase = cases?.find(({ caseId }) => caseId === selectedId);
  const isElsewhere = selectedId !== null && cases !== undefined && !listedCase;
  const { data: other } = useCase(selectedId, isElsewhere);
  const currentCase = listedCase ?? (isElsewhere ? other : undefined);
  if (currentCase && currentCase !== shownCase) setShownCase(currentCase);
  if (currentCase) return currentCase;
  return shownCase?.caseId === selectedId ? shownCase : null;
}
