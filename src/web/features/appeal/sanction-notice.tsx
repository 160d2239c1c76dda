// A sanction against the viewer, and the appeal against it. This file shows a mute or removal in a class, and a mute in private
// questions, and `suspensions.tsx` the suspension of the account. The code loads on demand, because few members ever see it. An
// appeal names only the sanction, so moderators do not learn whose appeal they read.
import type { ReactNode } from 'react';
import type { Sanction } from '#contract/entities.ts';
import type { OwnSanction } from '#contract/moderation.ts';
import { useShownDecisions } from '#web/data/own-decisions.ts';
import { useCall } from '#web/data/use-call.ts';
import { formatMoment } from '#web/format.ts';
import { getText } from '#web/get-text.ts';
import { Icon } from '#web/ui/icon.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { AppealState } from './appeal-state.tsx';
import styles from './sanction-notice.module.css';

function describeSanction({ kind, until }: Pick<Sanction, 'kind' | 'until'>): string {
  if (kind === 'removed') return getText('legal.sanction.removed');
  if (until === null) return getText('legal.sanction.muted');
  return getText('legal.sanction.mutedUntil', { moment: formatMoment(until) });
}

function useActiveSanctions(classId: string): OwnSanction[] {
  const { data } = useCall('listOwnSanctions', {});
  const isShown = (sanction: OwnSanction) => sanction.classId === classId && sanction.active;
  return data?.sanctions.filter(isShown) ?? [];
}

interface Props {
  classId: string;
  sanction: Sanction;
}

/** Says what moderators decided, until when and why, and offers an appeal. */
export function SanctionNotice({ classId, sanction }: Props) {
  const { kind, until, reason } = sanction;
  const ownSanction = useActiveSanctions(classId).find(
    (own) => !own.private && own.kind === kind && own.until === until,
  );
  return (
    <Notice classId={classId} title={describeSanction(sanction)} reason={reason} own={ownSanction}>
      <p className="meta">
        {kind === 'removed'
          ? getText('legal.sanction.removedEffect')
          : getText('legal.sanction.mutedEffect')}
      </p>
      <LegalSummary text={getText('appeal.notice.summary')} />
    </Notice>
  );
}

/** Says why the viewer cannot write to staff, although they can write in the room. */
export function PrivateSanctionNotices({ classId }: Pick<Props, 'classId'>) {
  const privateSanctions = useActiveSanctions(classId).filter((own) => own.private);
  return (
    <div className={styles.panel}>
      {privateSanctions.map((own) => (
        <Notice
          key={own.sanctionId}
          classId={classId}
          title={getText('error.MUTED_IN_PRIVATE')}
          reason={own.reason}
          own={own}
        >
          <p className="meta">
            {own.until === null
              ? getText('moderation.history.muted')
              : getText('moderation.history.mutedUntil', { moment: formatMoment(own.until) })}
          </p>
          <p className="meta">{getText('appeal.notice.summary')}</p>
        </Notice>
      ))}
    </div>
  );
}

interface NoticeProps extends Pick<Props, 'classId'> {
  title: string;
  reason: string;
  /** Undefined until the list of sanctions has loaded. */
  own: OwnSanction | undefined;
  children: ReactNode;
}

function Notice({ classId, title, reason, own, children }: NoticeProps) {
  useShownDecisions(classId, (decision) => decision === 'sanctioned');
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it.
    <div className={styles.notice} role="group" aria-label={getText('appeal.notice')} tabIndex={0}>
      <Icon name="shield" size={18} />
      <div className={styles.column}>
        <p className="medium">{title}</p>
        {reason && (
          <p className="said" dir="auto">
            {reason}
          </p>
        )}
        {children}
        {own && <AppealState sanction={own} />}
      </div>
    </div>
  );
}
