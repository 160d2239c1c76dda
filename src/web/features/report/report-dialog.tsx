// Reports a message or a persona to moderators, and lists the member's own reports with what became of them
// (`reports-dialog.tsx`). It loads on demand. After a report of a threat the member sees the help line of the
// site, because moderators may read the report only later.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId } from 'react';
import { limits } from '#contract/limits.ts';
import { type ReportReason, reportReasons } from '#contract/report-reasons.ts';
import { call } from '#web/api.ts';
import { reasonLabels } from '#web/data/moderation-labels.ts';
import { refreshOwnReports, type ReportTarget, useOwnReports } from '#web/data/reports.ts';
import { formatNumber, getText } from '#web/get-text.ts';
import { CheckBox } from '#web/ui/check-box.tsx';
import { Button } from '#web/ui/button.tsx';
import { useForm } from '#web/ui/form.tsx';
import { FormDialog } from '#web/ui/form-dialog.tsx';
import { FieldProblem, toControlProps } from '#web/ui/form-field.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { NeutralTile } from '#web/ui/neutral-tile.tsx';
import { PersonaIcon } from '#web/ui/persona-icon.tsx';
import { PersonaKind, PersonaName } from '#web/ui/persona-name.tsx';
import { TextAreaField } from '#web/ui/text-area-field.tsx';
import styles from './report.module.css';

interface Props {
  classId: string;
  target: ReportTarget;
  onClose: () => void;
}

interface Draft {
  reason: ReportReason | null;
  text: string;
  isForOperators: boolean;
}

/** Reports a message or a person. If the server rejects the report, the typed text stays. */
export function ReportDialog({ classId, target, onClose }: Props) {
  const reasonId = useId();
  const client = useQueryClient();
  const { messageId, persona } = target;
  const previousReport = useOwnReports(classId).data?.reports.find((report) =>
    messageId === null ? report.memberId === persona.memberId : report.messageId === messageId,
  );
  const sending = useMutation({
    mutationFn: ({ reason, text, isForOperators }: Draft & { reason: ReportReason }) =>
      call('reportMember', {
        params: { classId },
        body: {
          ...(messageId === null ? { memberId: persona.memberId } : { messageId }),
          reason,
          ...(text.trim() !== '' && { text: text.trim() }),
          ...(isForOperators && { operatorsOnly: true }),
        },
      }),
    onSuccess: () => void refreshOwnReports(client, classId),
  });
  const form = useForm<Draft>({
    fields: { reason: null, text: '', isForOperators: false },
    command: sending,
    findProblems: ({ reason, text }) => ({
      reason: reason === null ? getText('report.reason.missing') : null,
      text: findLengthProblem(text),
    }),
    onSubmit: ({ reason, ...draft }) => reason !== null && sending.mutate({ ...draft, reason }),
  });
  const { fields, problems } = form;
  const isUntouched = fields.reason === null && fields.text === '' && !fields.isForOperators;
  const { length } = Array.from(fields.text);

  if (sending.isSuccess) {
    return <ReportSent target={target} helpLine={sending.data.helpLine} onClose={onClose} />;
  }
  // The server counts a second report of the same message or person as the first one. An answer that arrives late
  // does not replace a form that the member is filling in.
  if (previousReport && isUntouched) {
    return (
      <Modal
        title={
          messageId === null ? getText('report.again.person') : getText('report.again.message')
        }
        text={[
          previousReport.state === 'open'
            ? getText('legal.report.willLook')
            : getText('legal.report.hasDecided'),
          whereToLook,
          messageId === null ? getText('report.again.hint') : '',
        ].join(' ')}
        onDismiss={onClose}
        actions={
          <Button variant="primary" data-first-focus onClick={onClose}>
            {getText('common.ok')}
          </Button>
        }
      >
        <ReportedItem target={target} />
      </Modal>
    );
  }
  return (
    <FormDialog
      title={messageId === null ? getText('report.title.person') : getText('report.title.message')}
      text={toPrivacyNote(messageId)}
      submitLabel={getText('report.submit')}
      pendingLabel={getText('common.sending')}
      form={form}
      onCancel={onClose}
    >
      <LegalSummary text={getText('report.summary')} />
      <ReportedItem target={target} />
      <fieldset {...toControlProps(reasonId, { problem: problems.reason })} role="radiogroup">
        <legend>{getText('report.reason.label')}</legend>
        {reportReasons.map((listedReason, index) => (
          <label key={listedReason} className="check-row">
            <input
              type="radio"
              name="reason"
              value={listedReason}
              checked={listedReason === fields.reason}
              data-first-focus={index === 0 || undefined}
              onChange={() => form.change({ reason: listedReason })}
            />
            {reasonLabels[listedReason]}
          </label>
        ))}
        <FieldProblem id={reasonId}>{problems.reason}</FieldProblem>
      </fieldset>
      <CheckBox
        checked={fields.isForOperators}
        onChange={(isChecked) => form.change({ isForOperators: isChecked })}
      >
        {getText('legal.report.operatorsOnly')}
      </CheckBox>
      <TextAreaField
        label={getText('report.text.label')}
        hint={
          length > limits.reportText - 100
            ? `${formatNumber(length)} / ${formatNumber(limits.reportText)}`
            : getText('legal.report.textHint')
        }
        rows={3}
        dir="auto"
        {...form.bind('text')}
        problem={findLengthProblem(fields.text)}
      />
    </FormDialog>
  );
}

const whereToLook = getText('report.whereToLook');

function findLengthProblem(text: string): string | null {
  if (Array.from(text).length <= limits.reportText) return null;
  return getText('common.textTooLong', { max: limits.reportText });
}

function toPrivacyNote(messageId: string | null): string {
  return messageId === null ? getText('legal.report.person') : getText('legal.report.message');
}

/** What is reported. */
function ReportedItem({ target: { persona, summary } }: { target: ReportTarget }) {
  return (
    <div className={styles.target}>
      {persona ? <PersonaIcon seed={persona.icon} size={24} /> : <NeutralTile size={24} />}
      <div>
        {persona ? (
          <>
            <PersonaName persona={persona} /> <PersonaKind persona={persona} />
          </>
        ) : (
          getText('questions.private.someone')
        )}
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
      title={getText('report.sent.title')}
      text={`${toPrivacyNote(target.messageId)} ${whereToLook}`}
      onDismiss={onClose}
      actions={
        <Button variant="primary" data-first-focus onClick={onClose}>
          {getText('common.done')}
        </Button>
      }
    >
      <LegalSummary text={getText('report.summary')} />
      {helpLine !== null && (
        <div className={styles.help} role="status">
          <p>{getText('legal.report.help')}</p>
          <p className="lead strong">{helpLine}</p>
        </div>
      )}
    </Modal>
  );
}
