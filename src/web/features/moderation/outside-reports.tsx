import { useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useRef, useState } from 'react';
import type { OutsideDecisionBody, OutsideReport } from '#contract/outside-reports.ts';
import { useCall, useCommand } from '#web/data/use-call.ts';
import { refreshWaitingWork } from '#web/data/waiting-work.ts';
import { formatPastDay } from '#web/format.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { RejectedError } from '#web/rejected-error.ts';
import { Button } from '#web/ui/button.tsx';
import { Callout } from '#web/ui/callout.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryState } from '#web/ui/query-state.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { ReasonField, useReasonForm } from './reason-field.tsx';
import decisionStyles from './decision-form.module.css';
import styles from './outside-reports.module.css';

type Decision = OutsideDecisionBody['decision'];

/** The list changes without this operator. No frame tells of a report: who gets one would be an operator. */
const refetchInterval = 60_000;
const decisionLabels: Record<Decision, string> = getTexts('moderation.outside.decision');
const decisions = Object.keys(decisionLabels) as Decision[];

/** Reports of people who may have no account, for operators: those that wait, and the last decisions. */
export function OutsideReports() {
  const query = useCall('listOutsideReports', {}, { refetchInterval });
  const reports = query.data?.outsideReports;
  const heading = useRef<HTMLHeadingElement>(null);
  return (
    <TabPage label={getText('moderation.outside.title')} className="stack">
      <h2 ref={heading} tabIndex={-1}>
        {getText('moderation.outside.title')}
      </h2>
      <p className="muted">{getText('moderation.outside.lead')}</p>
      {!reports && <QueryState query={query} />}
      {reports?.length === 0 && <EmptyState text={getText('moderation.outside.empty')} />}
      {reports && reports.length > 0 && (
        <ul className="divided" aria-label={getText('moderation.outside.title')}>
          {reports.map((report) => (
            <Report
              key={report.reportId}
              report={report}
              onDecided={() => heading.current?.focus()}
            />
          ))}
        </ul>
      )}
    </TabPage>
  );
}

function Report({ report, onDecided }: { report: OutsideReport; onDecided: () => void }) {
  const { what, place, contactAddress, reportedDay, decision, decidedBy, reason } = report;
  return (
    <li className={styles.report}>
      <p className="wrap">
        {/* No link: a stranger chose where it would lead. */}
        <strong className="grow">
          <bdi>{place}</bdi>
        </strong>
        {decision === null && <Tag urgent>{getText('moderation.review.toDecide')}</Tag>}
      </p>
      <p className="typed" dir="auto">
        {what}
      </p>
      <p className="meta wrap">
        <bdi>{contactAddress}</bdi>
        <time dateTime={reportedDay}>{formatPastDay(reportedDay)}</time>
      </p>
      {decision === null ? (
        <DecisionForm report={report} onDecided={onDecided} />
      ) : (
        <>
          <p className="wrap">
            {decisionLabels[decision]}
            <span className="meta">
              <bdi>{decidedBy}</bdi>
            </span>
          </p>
          {reason !== '' && (
            <p className="said" dir="auto">
              {reason}
            </p>
          )}
        </>
      )}
    </li>
  );
}

/** If someone else decides first, a notice says who, and the list shows what. */
function DecisionForm({
  report: { reportId, place },
  onDecided,
}: {
  report: OutsideReport;
  onDecided: () => void;
}) {
  const client = useQueryClient();
  const notify = useNotify();
  const [decision, setDecision] = useState<Decision | null>(null);
  const [reason, setReason] = useState('');
  const deciding = useCommand('decideOutsideReport', { refreshes: ['listOutsideReports'] });
  const reasonForm = useReasonForm();
  const { form, field, clearProblems } = reasonForm;
  const label = getText('moderation.outside.decide', { place });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (deciding.isPending || decision === null) return;
    clearProblems();
    const isSpam = decision === 'spam';
    if (!isSpam && reason.trim() === '') {
      return reasonForm.rejectReason(getText('moderation.reason.missing'));
    }
    deciding.mutate(
      { params: { reportId }, body: { decision, reason: isSpam ? '' : reason.trim() } },
      {
        onSuccess() {
          notify({ text: getText('moderation.outside.decided', { decision }) });
          void refreshWaitingWork(client);
          onDecided();
        },
        onError(error) {
          // The list then shows the other decision in place of this form.
          const isDecided = error instanceof RejectedError && error.code === 'ALREADY_DECIDED';
          if (!isDecided) return reasonForm.showError(error);
          notify({ text: error.message });
          onDecided();
        },
      },
    );
  };
  return (
    <form ref={form} className="stack-m" onSubmit={submit} noValidate aria-label={label}>
      <div className={decisionStyles.outcomes} role="group" aria-label={label}>
        {decisions.map((choice) => (
          <button
            key={choice}
            type="button"
            className={decisionStyles.outcome}
            aria-pressed={decision === choice}
            onClick={() => {
              setDecision(decision === choice ? null : choice);
              clearProblems();
            }}
          >
            {decisionLabels[choice]}
          </button>
        ))}
      </div>
      {decision !== null && (
        <>
          {decision !== 'spam' && (
            <ReasonField
              ref={field}
              value={reason}
              hint={getText('moderation.outside.reasonHint')}
              problem={reasonForm.problem}
              onChange={(text) => {
                setReason(text);
                clearProblems();
              }}
            />
          )}
          <Callout kind="error">{reasonForm.error}</Callout>
          <div className={decisionStyles.actions}>
            <Button type="submit" variant="primary" aria-disabled={deciding.isPending}>
              {deciding.isPending
                ? getText('common.sending')
                : getText('moderation.outside.submit', { decision })}
            </Button>
          </div>
        </>
      )}
    </form>
  );
}
