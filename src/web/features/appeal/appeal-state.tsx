import { useState } from 'react';
import type { OwnSanction } from '#contract/moderation.ts';
import { getText, getTexts } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import { Status } from '#web/ui/status.tsx';
import { AppealDialog } from './appeal-dialog.tsx';
import styles from './appeal.module.css';

const outcomes = getTexts('legal.appeal.state');

/** A button to appeal, or the outcome of the appeal. */
export function AppealState({ sanction }: { sanction: OwnSanction }) {
  const [isOpen, setIsOpen] = useState(false);
  const { appeal } = sanction;
  return (
    <div className={styles.state}>
      {appeal === null && (
        <Button onClick={() => setIsOpen(true)}>{getText('appeal.start')}</Button>
      )}
      <Status>
        {appeal && <p className="medium">{outcomes[appeal.state]}</p>}
        {appeal?.reason && (
          <p className="said" dir="auto">
            {appeal.reason}
          </p>
        )}
        {appeal?.text && (
          <details className={styles.own}>
            <summary>{getText('appeal.ownText')}</summary>
            <p className="said" dir="auto">
              {appeal.text}
            </p>
          </details>
        )}
      </Status>
      {isOpen && <AppealDialog sanction={sanction} onClose={() => setIsOpen(false)} />}
    </div>
  );
}
