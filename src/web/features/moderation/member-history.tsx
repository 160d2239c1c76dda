import { useState } from 'react';
import type { Persona } from '#contract/entities.ts';
import type { CallReply } from '#contract/http.ts';
import type { Case } from '#contract/moderation.ts';
import { toShownName } from '#contract/persona-name.ts';
import { toErrorMessage } from '#web/api.ts';
import { useCommand } from '#web/data/use-call.ts';
import { moderationCalls, useModeratedMember } from './moderation.ts';
import { formatPastDay, formatMoment } from '#web/format.ts';
import { Button } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
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
        History of <bdi translate="no">{toShownName(persona)}</bdi>
      </h3>
      {member.isPending && <Skeleton width="60%" />}
      {member.isError && !member.data && (
        <div className={styles.failed} role="alert">
          <p>{toErrorMessage(member.error)}</p>
          <Button variant="plain" onClick={() => void member.refetch()}>
            Retry
          </Button>
        </div>
      )}
      {member.data && (
        <>
          <p>{formatCounts(member.data.caseCounts, caseDetails)}</p>
          <ul className={styles.sanctions}>
            {member.data.sanctions.map((sanction) => (
              <li key={sanction.sanctionId} className={styles.sanction}>
                <div>
                  <p>
                    {toSanctionLabel(sanction)} {sanction.active && <Tag>Active</Tag>}
                  </p>
                  <p className={styles.meta}>
                    by <bdi>{sanction.staffName}</bdi>, {formatPastDay(sanction.day)}:{' '}
                    <bdi>{sanction.reason}</bdi>
                  </p>
                </div>
                {sanction.active && <Button onClick={() => setLifting(sanction)}>Lift</Button>}
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
    const otherCount = counts[outcome] - (outcome === ownOutcome ? 1 : 0);
    return otherCount > 0 ? `${otherCount} ${outcome}` : [];
  });
  return parts.length > 0 ? `Other cases in this class: ${parts.join(', ')}.` : 'No other cases.';
}

function toOutcome({ state, decision }: Case): 'open' | 'kept' | 'removed' {
  if (state === 'open') return 'open';
  return decision === 'remove' ? 'removed' : 'kept';
}

function toSanctionLabel({ kind, until }: Sanction): string {
  if (kind === 'removed') return 'Removed from the class';
  return until === null ? 'Muted' : `Muted until ${formatMoment(until)}`;
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
      notify({ text: `${name} can take part again.` });
      onClose();
    },
  });
  const params = { classId, memberId, sanctionId: sanction.sanctionId };
  return (
    <LiftForm
      title={sanction.kind === 'mute' ? 'Lift the mute?' : 'Let this person back into the class?'}
      text={`${name} is told that it ended.`}
      lifting={lifting}
      onLift={(reason) => lifting.mutate({ params, body: { reason } })}
      onClose={onClose}
    />
  );
}
