import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import type { To } from 'react-router';
import type { Case } from '#contract/moderation.ts';
import { isUrgentReason } from '#contract/report-reasons.ts';
import { useCaseContext } from './moderation.ts';
import { toDecisionLabel, reasonLabels } from '#web/data/moderation-labels.ts';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText, language } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { NoticePlace } from '#web/ui/notices.tsx';
import { Status } from '#web/ui/status.tsx';
import { CaseReviews } from './case-reviews.tsx';
import { CaseContext, reportedAttribute } from './case-context.tsx';
import type { Draft } from './decision.ts';
import { DecisionForm } from './decision-form.tsx';
import { MemberHistory } from './member-history.tsx';
import { UnmaskingSection } from './unmasking/unmasking-section.tsx';
import styles from './case-detail.module.css';

interface Props {
  caseDetails: Case;
  draft: Draft;
  /** The address of the queue on a narrow screen. */
  backTo: To | null;
  /** Whether the heading takes the focus when the case appears. */
  takesFocus: boolean;
  suggestions: readonly string[];
  onDraft: (change: Partial<Draft>) => void;
  onDecided: (decided: Case) => void;
  /** The form for an escalation or an appeal, if there is one to decide. */
  reviewForm: ReactNode;
  /** The text of HELP_LINE. */
  helpLine: string | null;
}

/** One case: what was reported, in its context, why, what happened before, and the decision. */
export function CaseDetail(props: Props) {
  const { caseDetails, draft, backTo, takesFocus, suggestions, onDraft, onDecided } = props;
  const { reviewForm, helpLine } = props;
  const { caseId, messageId, label, forOperators } = caseDetails;
  const region = getText('moderation.case.reported');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true });
  }, [takesFocus]);
  const scroller = useReportedInView(caseDetails, draft.outcome !== null, reviewForm === null);
  const reviews = <CaseReviews caseDetails={caseDetails} />;
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
      <div ref={scroller} className={styles.scroller} role="group" aria-label={region} tabIndex={0}>
        <div className={styles.column}>
          <header className="stack-s start">
            {backTo && (
              <Link className={styles.back} to={backTo} replace>
                <Icon name="left" size={18} />
                {getText('moderation.case.back')}
              </Link>
            )}
            <h2 ref={heading} className={styles.title} tabIndex={-1}>
              {messageId === null
                ? getText('moderation.case.personTitle', { className: label })
                : getText('moderation.case.messageTitle', { className: label })}
            </h2>
            <p className={styles.meta}>
              {forOperators
                ? getText('moderation.case.idForOperators', { id: caseId.slice(0, 6) })
                : getText('moderation.case.id', { id: caseId.slice(0, 6) })}
            </p>
          </header>
          {/* What one decides about comes first. */}
          {reviewForm !== null && reviews}
        </div>
        {/* It stays beside the reported message, to which the case scrolls. */}
        <div
          className={styles.beside}
          role="group"
          aria-label={getText('moderation.case.why')}
          // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
          tabIndex={0}
          data-sticky={draft.outcome === null && reviewForm === null}
        >
          <UrgentGuidance caseDetails={caseDetails} helpLine={helpLine} />
          <Reports caseDetails={caseDetails} />
        </div>
        <div className={styles.column}>
          <CaseContext caseDetails={caseDetails} />
          {reviewForm === null && reviews}
          <MemberHistory caseDetails={caseDetails} />
          <UnmaskingSection caseDetails={caseDetails} />
        </div>
      </div>
      {/* At the bottom of the window, a notice would cover the decisions. */}
      <div className={styles.notices}>
        <NoticePlace />
      </div>
      <div className={styles.decision}>
        <div className={styles.decisionColumn}>
          <Status>
            {caseDetails.state === 'decided' && <DecisionSummary caseDetails={caseDetails} />}
          </Status>
          {(caseDetails.state === 'open' || draft.reason !== '') && (
            <DecisionForm
              caseDetails={caseDetails}
              draft={draft}
              suggestions={suggestions}
              onDraft={onDraft}
              onDecided={onDecided}
            />
          )}
          {reviewForm}
        </div>
      </div>
    </>
  );
}

/**
 * Keeps the reported message visible when the case opens and when the form takes space. Neighbors that arrive later
 * do not move it.
 *
 * @param isFirst false if something else is to be read first
 */
function useReportedInView(caseDetails: Case, isDeciding: boolean, isFirst: boolean) {
  const scroller = useRef<HTMLDivElement>(null);
  const lastView = useRef<{ top: number; isPending: boolean; isDeciding: boolean }>(null);
  const { isPending } = useCaseContext(caseDetails);
  useLayoutEffect(() => {
    const frame = scroller.current;
    const message = frame?.querySelector<HTMLElement>(`[${reportedAttribute}]`);
    if (!frame || !message || !isFirst) return;
    const previousView = lastView.current;
    const top = message.offsetTop;
    lastView.current = { top, isPending, isDeciding };
    if (previousView?.isPending && !isPending) frame.scrollTop += top - previousView.top;
    if (previousView?.isDeciding === isDeciding) return;
    const stickyPart = frame.querySelector<HTMLElement>('[data-sticky="true"]');
    const coveredHeight = stickyPart?.offsetHeight ?? 0;
    frame.style.scrollPaddingBlockStart = `${coveredHeight}px`;
    const fits = message.offsetHeight <= frame.clientHeight - coveredHeight;
    message.scrollIntoView({ block: fits ? 'nearest' : 'start' });
  }, [isPending, isDeciding, isFirst]);
  useEffect(() => {
    const frame = scroller.current;
    if (!frame || !isFirst) return;
    let height = frame.clientHeight;
    // A notice takes its height from the case.
    const observer = new ResizeObserver(() => {
      const message = frame.querySelector<HTMLElement>(`[${reportedAttribute}]`);
      const end = message ? message.offsetTop + message.offsetHeight : Infinity;
      const wasInView = end <= frame.scrollTop + height;
      if (wasInView && frame.clientHeight < height) message?.scrollIntoView({ block: 'nearest' });
      height = frame.clientHeight;
    });
    observer.observe(frame);
    return () => observer.disconnect();
  }, [isFirst]);
  return scroller;
}

/** Why members reported it, in their words. */
function Reports({ caseDetails: { reports, reportCount } }: Pick<Props, 'caseDetails'>) {
  return (
    <section className={styles.reasons}>
      <h3>{getText('moderation.case.reports', { count: reportCount })}</h3>
      {reportCount > reports.length && (
        <p className={styles.meta}>
          {getText('moderation.case.newestReports', { count: reports.length })}
        </p>
      )}
      <ul className="stack-xs">
        {reports.map(({ reason, text, day }, index) => (
          <li key={index}>
            <p>
              <strong>{reasonLabels[reason]}</strong>
              <span className={styles.meta}>
                {getText('format.comma')}
                <time dateTime={day}>{formatPastDay(day)}</time>
              </span>
            </p>
            {text && (
              <p className={styles.reportText} dir="auto">
                {text}
              </p>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What to do when someone may be in danger. */
function UrgentGuidance({ caseDetails, helpLine }: Pick<Props, 'caseDetails' | 'helpLine'>) {
  const reasons = new Set(caseDetails.reports.map(({ reason }) => reason));
  if (![...reasons].some(isUrgentReason)) return null;
  return (
    <section className={styles.urgent} aria-label={getText('moderation.case.urgent.label')}>
      {language !== 'en' && <p>{getText('moderation.case.urgent.summary')}</p>}
      <p>{getText('legal.moderation.danger')}</p>
      {reasons.has('self-harm') && <p>{getText('legal.moderation.selfHarm')}</p>}
      {helpLine !== null && <p className="strong">{helpLine}</p>}
    </section>
  );
}

/** Who decided, what and why. */
function DecisionSummary({ caseDetails }: { caseDetails: Case }) {
  const { decidedBy, reason, effectiveAt } = caseDetails;
  return (
    <div className="card">
      <p>
        {decidedBy === null ? (
          <strong>{toDecisionLabel(caseDetails)}</strong>
        ) : (
          getRichText('moderation.case.decidedBy', {
            b: <strong />,
            decision: toDecisionLabel(caseDetails),
            bdi: <bdi />,
            name: decidedBy,
          })
        )}
        {effectiveAt !== null && (
          <span className={styles.meta}>
            ,{' '}
            <time dateTime={new Date(effectiveAt).toISOString()}>{formatMoment(effectiveAt)}</time>
          </span>
        )}
      </p>
      {reason && (
        <p className={styles.reportText} dir="auto">
          {reason}
        </p>
      )}
    </div>
  );
}
