import { useState } from 'react';
import type { Persona } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls, useModeratedMember } from './moderation.ts';
import { formatList, formatPastDay, formatMoment } from '#web/format.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { Tag } from '#web/ui/tag.tsx';
import { LiftForm } from './lift-form.tsx';
import styles from './case-detail.module.css';

type Sanction = CallReply<'readModeratedMember'>['sanctions'][number];

/** What was decided about this persona in this class before. */
export function MemberHistory({ caseDetails }: { caseDetails: Case }) {
  const { classId, persona } = caseDetails;
  const member = useModeratedMember(caseDetails);
  const [lifting, setLifting] = useState<Sanction | null>(null);
  return (
    <section className="stack-s">
      <h3>
        {getRichText('moderation.history.title', {
          bdi: <bdi translate="no" />,
          name: toShownName(persona),
        })}
      </h3>
      {member.isPending && <Skeleton width="60%" />}
      {member.isError && !member.data && <QueryFailure className={styles.failed} query={member} />}
      {member.data && (
        <>
          <p>{formatCounts(member.data.caseCounts, caseDetails)}</p>
          <ul className={styles.sanctions}>
            {member.data.sanctions.map((sanction) => (
              <li key={sanction.sanctionId} className={styles.sanction}>
                <div>
                  <p>
                    {toSanctionLabel(sanction)}{' '}
                    {sanction.active && <Tag>{getText('moderation.sanctionActive')}</Tag>}
                  </p>
                  <p className={styles.meta}>
                    {getRichText('moderation.history.sanctionReason', {
                      bdi: <bdi />,
                      name: sanction.staffName,
                      day: formatPastDay(sanction.day),
                      reason: sanction.reason,
                    })}
                  </p>
                </div>
                {sanction.active && (
                  <Button onClick={() => setLifting(sanction)}>
                    {getText('moderation.lift.submit')}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      {lifting && (
        <LiftDialog
          classId={classId}
          persona={persona}
          sanction={lifting}
          onClose={() => setLifting(null)}
        />
      )}
    </section>
  );
}

/** Names the counts of the person's other cases. The server's counts include this case. */
function formatCounts(counts: CallReply<'readModeratedMember'>['caseCounts'], caseDetails: Case) {
  const ownOutcome = toOutcome(caseDetails);
  const parts = (['open', 'kept', 'removed'] as const).flatMap((outcome) => {
    const count = counts[outcome] - (outcome === ownOutcome ? 1 : 0);
    return count > 0 ? getText('moderation.history.count', { outcome, count }) : [];
  });
  return parts.length > 0
    ? getText('moderation.history.others', { counts: formatList(parts) })
    : getText('moderation.history.empty');
}

function toOutcome({ state, decision }: Case): 'open' | 'kept' | 'removed' {
  if (state === 'open') return 'open';
  return decision === 'remove' ? 'removed' : 'kept';
}

function toSanctionLabel({ kind, until }: Sanction): string {
  if (kind === 'removed') return getText('moderation.history.expelled');
  return until === null
    ? getText('moderation.history.muted')
    : getText('moderation.history.mutedUntil', { moment: formatMoment(until) });
}

interface LiftProps {
  classId: string;
  persona: Persona;
  sanction: Sanction;
  onClose: () => void;
}

function LiftDialog({ classId, persona, sanction, onClose }: LiftProps) {
  const notify = useNotify();
  const { memberId } = persona;
  const name = toShownName(persona);
  const lifting = useCommand('liftSanction', {
    refreshes: moderationCalls,
    onSuccess() {
      notify({ text: getText('moderation.lift.done', { name }) });
      onClose();
    },
  });
  const params = { classId, memberId, sanctionId: sanction.sanctionId };
  return (
    <LiftForm
      title={getText('moderation.lift.title', { kind: sanction.kind })}
      text={getText('legal.lift.told', { name })}
      lifting={lifting}
      onLift={(reason) => lifting.mutate({ params, body: { reason } })}
      onClose={onClose}
    />
  );
}
