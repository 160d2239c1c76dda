// Reports a message or a persona to moderators, and lists the member's own reports with what became of them
// (`reports-dialog.tsx`). It loads on demand. After a report of a threat the member sees the help line of the
// site, because moderators may read the report only later.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { limits } from '#contract/limits.ts';
import type { ReportReason } from '#contract/report-reasons.ts';
import { call, toErrorMessage } from '#web/api.ts';
import { reasonLabels, reasons } from '#web/data/moderation-labels.ts';
import { refreshOwnReports, type ReportTarget, useOwnReports } from '#web/data/reports.ts';
import { formatCount } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FieldProblem, FormField, toControlProps } from '#web/ui/form-field.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import styles from './report.module.css';

interface Props {
  classId: string;
  target: ReportTarget;
  onClose: () => void;
}

/** Reports a message or a person. If the server rejects the report, the typed text stays. */
export function ReportDialog({ classId, target, onClose }: Props) {
  const id = useId();
  const client = useQueryClient();
  const { messageId, persona } = target;
  const [reason, setReason] = useState<ReportReason | null>(null);
  const [text, setText] = useState('');
  const [isForOperators, setIsForOperators] = useState(false);
  const [error, setError] = useState<string | null>(null);
  /** The last attempt was rejected because the reason was missing. */
  const [isRejected, setIsRejected] = useState(false);
  const previousReport = useOwnReports(classId).data?.reports.find((report) =>
    messageId === null ? report.memberId === persona.memberId : report.messageId === messageId,
  );
  const isUntouched = reason === null && text === '' && !isForOperators;
  const sending = useMutation({
    mutationFn: (chosenReason: ReportReason) =>
      call('reportMember', {
        params: { classId },
        body: {
          ...(messageId === null ? { memberId: persona.memberId } : { messageId }),
          reason: chosenReason,
          ...(text.trim() !== '' && { text: text.trim() }),
          ...(isForOperators && { operatorsOnly: true }),
        },
      }),
    onSuccess: () => void refreshOwnReports(client, classId),
    onError: (failure) => setError(toErrorMessage(failure)),
  });
  const length = Array.from(text).length;
  const isTooLong = length > limits.reportText;
  const reasonProblem = isRejected && reason === null ? 'Please choose a reason.' : null;
  const texts = {
    hint:
      length > limits.reportText - 100
        ? formatLength(length)
        : 'Moderators read it. Please do not say who you are.',
    problem: isTooLong
      ? `At most ${formatCount(limits.reportText)} characters. Please shorten the text.`
      : null,
  };
  const submit = () => {
    setIsRejected(reason === null);
    if (reason === null || isTooLong) return;
    setError(null);
    sending.mutate(reason);
  };

  if (sending.isSuccess) {
    return <ReportSent target={target} helpLine={sending.data.helpLine} onClose={onClose} />;
  }
  // The server counts a second report of the same message or person as the first one. An answer that arrives late
  // does not replace a form that the member is filling in.
  if (previousReport && isUntouched) {
    return (
      <Modal
        title={`You have already reported this ${messageId === null ? 'person' : 'message'}`}
        text={[
          previousReport.state === 'open'
            ? `A moderator will look at it. ${whereToLook}`
            : `A moderator has decided about it. ${whereToLook}`,
          messageId === null ? 'If they write something new, please report that message.' : '',
        ].join(' ')}
        onDismiss={onClose}
        actions={
          <Button variant="primary" data-first-focus onClick={onClose}>
            OK
          </Button>
        }
      >
        <ReportedItem target={target} />
      </Modal>
    );
  }
  return (
    <FormDialog
      title={messageId === null ? 'Report a person' : 'Report a message'}
      text={toPrivacyNote(messageId)}
      submitLabel={sending.isPending ? 'Sending…' : 'Report'}
      isPending={sending.isPending}
      error={error}
      onSubmit={submit}
      onCancel={onClose}
    >
      <ReportedItem target={target} />
      <fieldset {...toControlProps(`${id}-reason`, { problem: reasonProblem })} role="radiogroup">
        <legend>Reason</legend>
        {reasons.map((listedReason, index) => (
          <label key={listedReason} className="check-row">
            <input
              type="radio"
              name="reason"
              value={listedReason}
              checked={listedReason === reason}
              data-first-focus={index === 0 || undefined}
              onChange={() => {
                setReason(listedReason);
                setError(null);
              }}
            />
            {reasonLabels[listedReason]}
          </label>
        ))}
        <FieldProblem id={`${id}-reason`}>{reasonProblem}</FieldProblem>
      </fieldset>
      <label className="check-row">
        <input
          type="checkbox"
          checked={isForOperators}
          onChange={(event) => setIsForOperators(event.target.checked)}
        />
        Only the university’s operators
      </label>
      <FormField id={id} label="What should moderators know? (optional)" {...texts}>
        <textarea
          {...toControlProps(id, texts)}
          className={styles.text}
          rows={3}
          dir="auto"
          value={text}
          onChange={({ target: { value } }) => setText(value)}
        />
      </FormField>
    </FormDialog>
  );
}

const whereToLook =
  'The app tells you when they have decided. ‘Your Reports’ in the details of the class shows it.';

const formatLength = (length: number) => `${length} / ${limits.reportText}`;

function toPrivacyNote(messageId: string | null): string {
  return messageId === null
    ? 'Moderators see the anonymous name, not who reported it.'
    : 'Moderators see the message, not who reported it.';
}

/** What is reported. */
function ReportedItem({ target: { persona, summary } }: { target: ReportTarget }) {
  return (
    <div className={styles.target}>
      <PersonaIcon seed={persona.icon} size={24} />
      <div>
        <PersonaName persona={persona} /> <PersonaKind persona={persona} />
        {summary && (
          <p className="clamp" dir="auto">
            {summary}
          </p>
        )}
      </div>
    </div>
  );
}

interface SentProps {
  target: ReportTarget;
  helpLine: string | null;
  onClose: () => void;
}

function ReportSent({ target, helpLine, onClose }: SentProps) {
  return (
    <Modal
      title="Thank you for your report"
      text={`${toPrivacyNote(target.messageId)} ${whereToLook}`}
      onDismiss={onClose}
      actions={
        <Button variant="primary" data-first-focus onClick={onClose}>
          Done
        </Button>
      }
    >
      {helpLine !== null && (
        <div className={styles.help} role="status">
          <p>If you or someone else is in danger, get help now:</p>
          <p className="lead strong">{helpLine}</p>
        </div>
      )}
    </Modal>
  );
}
