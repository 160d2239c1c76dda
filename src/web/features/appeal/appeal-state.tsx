import { useState } from 'react';
import type { OwnSanction } from '#contract/moderation.ts';
import { Button } from '#web/ui/button.tsx';
import { Status } from '#web/ui/status.tsx';
import { AppealDialog } from './appeal-dialog.tsx';
import styles from './appeal.module.css';

const outcomes = {
  open: 'You have appealed. The decision appears here.',
  kept: 'Your appeal was decided: it stays as it is.',
  lifted: 'Your appeal was decided: it was lifted.',
};

/** A button to appeal, or the outcome of the appeal. */
export function AppealState({ sanction }: { sanction: OwnSanction }) {
  const [isOpen, setIsOpen] = useState(false);
  const { appeal } = sanction;
  return (
    <div className={styles.state}>
      {appeal === null && <Button onClick={() => setIsOpen(true)}>Appeal</Button>}
      <Status>
        {appeal && <p className="medium">{outcomes[appeal.state]}</p>}
        {appeal?.reason && (
          <p className="said" dir="auto">
            {appeal.reason}
          </p>
        )}
        {appeal?.text && (
          <details className={styles.own}>
            <summary>What you wrote</summary>
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
