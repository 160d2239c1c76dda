import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { getShownName, toShownName } from '#contract/persona-name.ts';
import type { OwnReport } from '#contract/moderation.ts';
import { reasonLabels } from '#web/data/moderation-labels.ts';
import { listMembers } from '#web/data/members.ts';
import { fetchMessagesById } from '#web/data/messages-by-id.ts';
import { useShownDecisions } from '#web/data/own-decisions.ts';
import { useOwnReports } from '#web/data/reports.ts';
import { formatPastDay, moderationTexts } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { toPlainText } from '#web/markup/message-markup.ts';
import { Button } from '#web/ui/button.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import styles from './report.module.css';

interface Props {
  classId: string;
  label: string;
  onClose: () => void;
}

const pageLength = 10;
const maxExcerptLength = 200;

/** The member's own reports in a class, and what became of them. */
export function ReportsDialog({ classId, label, onClose }: Props) {
  return (
    <Modal
      title={getText('report.own.title', { className: label })}
      text={getText('legal.report.own')}
      onDismiss={onClose}
    >
      <LegalSummary text={getText('report.summary')} />
      <Reports classId={classId} onClose={onClose} />
    </Modal>
  );
}

function Reports({ classId, onClose }: Omit<Props, 'label'>): ReactNode {
  const reportsQuery = useOwnReports(classId);
  useShownDecisions(classId, (decision) => decision.startsWith('report-'));
  const [shownCount, setShownCount] = useState(pageLength);
  const shownReports = reportsQuery.data?.reports.slice(0, shownCount) ?? [];
  const findSubject = useSubjects(classId, shownReports);
  if (reportsQuery.isPending) {
    return (
      <div className={styles.list} role="status" aria-label={getText('common.loadingStatus')}>
        {[160, 120].map((width) => (
          <div key={width} className={styles.row}>
            <Skeleton width={width} />
          </div>
        ))}
      </div>
    );
  }
  if (!reportsQuery.data) {
    return <QueryFailure className={styles.list} query={reportsQuery} />;
  }
  const { reports } = reportsQuery.data;
  if (reports.length === 0) return <p className="meta">{getText('report.own.empty')}</p>;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.list} role="group" aria-label={getText('report.own.group')} tabIndex={0}>
      <ul className="divided" aria-label={getText('report.own.label')}>
        {shownReports.map((report) => (
          <li key={report.messageId ?? report.memberId} className={styles.row}>
            <p className={styles.subject} dir="auto">
              {findSubject(report)}
            </p>
            <p className="meta">
              {reasonLabels[report.reason]}
              {getText('format.comma')}
              <time dateTime={report.day}>{formatPastDay(report.day)}</time>
            </p>
            <p className={styles.outcome} data-state={report.state}>
              {toOutcomeText(report)}
            </p>
            {report.messageId !== null && report.state !== 'removed' && (
              <Link
                className={styles.link}
                to={`/home/${classId}?message=${report.messageId}`}
                onClick={onClose}
              >
                {getText('report.own.show')}
              </Link>
            )}
          </li>
        ))}
      </ul>
      {reports.length > shownCount && (
        <Button onClick={() => setShownCount((count) => count + pageLength)}>
          {getText('common.showMore')}
        </Button>
      )}
    </div>
  );
}

/** Says what was reported: the person and the beginning of the message. */
function useSubjects(classId: string, reports: readonly OwnReport[]) {
  const messageIds = reports.flatMap(({ messageId }) => messageId ?? []);
  const messages = useQuery({
    queryKey: ['class', classId, 'reported', messageIds],
    queryFn: () => fetchMessagesById(classId, messageIds),
    enabled: messageIds.length > 0,
    placeholderData: (previousData) => previousData,
    staleTime: 0,
    gcTime: 0,
  });
  const members = useQuery({
    queryKey: ['class', classId, 'members'],
    queryFn: () => listMembers(classId),
    enabled: reports.some(({ memberId }) => memberId !== null),
    staleTime: 0,
    gcTime: 0,
  });
  return ({ messageId, memberId }: OwnReport): ReactNode => {
    if (messageId === null) {
      const persona = members.data?.personas.find(
        (listedPersona) => listedPersona.memberId === memberId,
      );
      if (persona) {
        return (
          <bdi className="strong" translate="no">
            {toShownName(persona)}
          </bdi>
        );
      }
      return members.isPending ? <Skeleton width={120} /> : getText('report.subject.person');
    }
    const reportedMessage = messages.data?.get(messageId);
    if (!reportedMessage) {
      return messages.isPending ? <Skeleton width={200} /> : getText('report.subject.message');
    }
    const names = new Map(reportedMessage.personas.map((persona) => [persona.memberId, persona]));
    const { message } = reportedMessage;
    return (
      <>
        <bdi className="strong">{getShownName(names, message.memberId)}</bdi>{' '}
        {message.moderation
          ? moderationTexts[message.moderation]
          : toPlainText(message.text, names).slice(0, maxExcerptLength) ||
            getText('format.picture')}
      </>
    );
  };
}

function toOutcomeText({ state, messageId }: OwnReport): string {
  switch (state) {
    case 'open':
      return getText('report.outcome.open');
    case 'kept':
      return messageId === null ? getText('report.outcome.none') : getText('report.outcome.kept');
    case 'removed':
      return getText('report.outcome.removed');
    case 'acted':
      return getText('report.outcome.acted');
  }
}
