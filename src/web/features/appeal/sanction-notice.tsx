// A sanction against the viewer, and the appeal against it. This file shows a mute or removal in a class, and
// `suspensions.tsx` the suspension of the account. The code loads on demand, because few members ever see it. An appeal
// names only the sanction, so moderators do not learn whose appeal they read.
import type { Sanction } from '#contract/entities.ts';
import { useShownDecisions } from '#web/data/own-decisions.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { AppealState } from './appeal-state.tsx';
import styles from './sanction-notice.module.css';

interface Props {
  classId: string;
  sanction: Sanction;
}

function describeSanction({ kind, until }: Pick<Sanction, 'kind' | 'until'>): string {
  if (kind === 'removed') return getText('legal.sanction.removed');
  if (until === null) return getText('legal.sanction.muted');
  return getText('legal.sanction.mutedUntil', { moment: formatMoment(until) });
}

/** Says what moderators decided, until when and why, and offers an appeal. */
export function SanctionNotice({ classId, sanction: { kind, until, reason } }: Props) {
  useShownDecisions(classId, (decision) => decision === 'sanctioned');
  const ownSanction = useCall('listOwnSanctions', {}).data?.sanctions.find(
    (sanction) =>
      sanction.classId === classId &&
      sanction.active &&
      sanction.kind === kind &&
      sanction.until === until,
  );
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.notice} role="group" aria-label={getText('appeal.notice')} tabIndex={0}>
      <Icon name="shield" size={18} />
      <div className={styles.column}>
        <p className="medium">{describeSanction({ kind, until })}</p>
        {reason && (
          <p className="said" dir="auto">
            {reason}
          </p>
        )}
        <p className="meta">
          {kind === 'removed'
            ? getText('legal.sanction.removedEffect')
            : getText('legal.sanction.mutedEffect')}
        </p>
        <LegalSummary text={getText('appeal.notice.summary')} />
        {ownSanction && <AppealState sanction={ownSanction} />}
      </div>
    </div>
  );
}
