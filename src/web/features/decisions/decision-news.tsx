// Tells a member that moderators decided about a report, a persona or an appeal of the member. The line itself says neither what
// nor where, because others may see the screen.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { createPortal } from 'react-dom';
import type { OwnDecision } from '#contract/moderation.ts';
import { markDecisionsSeen, useNewDecisions } from '#web/data/own-decisions.ts';
import { refreshCalls } from '#web/data/use-call.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { LegalSummary } from '#web/ui/legal-summary.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { NoticeBar } from '#web/ui/notice-bar.tsx';
import styles from './decision-news.module.css';

const texts: Record<OwnDecision['kind'], string> = getTexts('legal.decision');

/** Offers to show the decisions that this browser has not shown. */
export function DecisionNews() {
  const client = useQueryClient();
  const newDecisions = useNewDecisions();
  const [openDecisions, setOpenDecisions] = useState<readonly OwnDecision[] | null>(null);
  const open = () => {
    setOpenDecisions(newDecisions);
    // The class says why an appeal was decided so.
    void refreshCalls(client, ['listOwnSanctions']);
  };
  const markSeen = (decisions: readonly OwnDecision[]) => {
    // The pressed button disappears, also if it is the one that opened the dialog.
    document.getElementById('main')?.focus({ preventScroll: true });
    markDecisionsSeen(decisions);
    setOpenDecisions(null);
  };
  return (
    <>
      {newDecisions.length > 0 && (
        <NoticeBar text={getText('decisions.news.text')}>
          <Button variant="primary" onClick={open}>
            {getText('decisions.news.show')}
          </Button>
          <Button
            variant="plain"
            aria-label={getText('decisions.news.dismiss')}
            title={getText('decisions.news.dismiss')}
            onClick={() => markSeen(newDecisions)}
          >
            <Icon name="close" size={18} />
          </Button>
        </NoticeBar>
      )}
      {openDecisions &&
        // The place of notices takes no clicks, and screen readers read out what appears in it.
        createPortal(
          <DecisionsDialog decisions={openDecisions} onClose={() => markSeen(openDecisions)} />,
          document.getElementById('screens') ?? document.body,
        )}
    </>
  );
}

interface DialogProps {
  decisions: readonly OwnDecision[];
  onClose: () => void;
}

function DecisionsDialog({ decisions, onClose }: DialogProps) {
  return (
    <Modal
      title={getText('decisions.list')}
      text={getText('legal.decision.lead')}
      onDismiss={onClose}
    >
      <LegalSummary text={getText('decisions.summary')} />
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- keyboard users must be able to scroll it. */}
      <div className={styles.list} role="group" aria-label={getText('decisions.list')} tabIndex={0}>
        <ul className="divided">
          {decisions.map(({ decisionId, classId, label, kind, reason }) => (
            <li key={decisionId} className={styles.row}>
              <Link className="strong" to={`/home/${classId}`} onClick={onClose}>
                {label}
              </Link>
              <p>{texts[kind]}</p>
              {reason !== null && (
                <blockquote className="said" dir="auto">
                  {reason}
                </blockquote>
              )}
            </li>
          ))}
        </ul>
      </div>
    </Modal>
  );
}
