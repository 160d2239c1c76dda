import type { ReactNode } from 'react';
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { Class } from '#contract/entities.ts';
import {
  formatClassName,
  formatDays,
  formatMemberCount,
  formatTimes,
} from '#web/data/class-details.ts';
import { useClassSettings } from '#web/data/class-settings.ts';
import { Button } from '#web/ui/button.tsx';
import { Modal } from '#web/ui/modal.tsx';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { describeRestrictions } from './settings-texts.ts';
import styles from './class-settings.module.css';

interface Props {
  joinedClass: Class;
  label: string;
  /** Shows description and rules. */
  renderTexts: (texts: { description: string; rules: string }) => ReactNode;
  /** The sections of other features. */
  children: ReactNode;
  onClose: () => void;
}

/** What a member can know of a class, with its description and rules. */
export function DetailsDialog({ joinedClass, label, renderTexts, children, onClose }: Props) {
  const settingsQuery = useClassSettings(joinedClass.classId, defaultClassSettings);
  const settings = settingsQuery.data?.settings;
  const section = joinedClass.sectionNumber && `Section ${joinedClass.sectionNumber.toUpperCase()}`;
  const lines = [
    [section, joinedClass.semesterSeason, formatMemberCount(joinedClass)],
    [formatDays(joinedClass), formatTimes(joinedClass)],
  ];
  return (
    <Modal
      title={label}
      text={formatClassName(joinedClass)}
      onDismiss={onClose}
      actions={
        <Button data-first-focus onClick={onClose}>
          Close
        </Button>
      }
    >
      <div className={styles.details}>
        {lines.map((line) => (
          <p key={line.join()}>{line.filter(Boolean).join(' · ')}</p>
        ))}
        {settings && describeRestrictions(settings).map((line) => <p key={line}>{line}</p>)}
      </div>
      {!settings && settingsQuery.isError && (
        <QueryFailure className={styles.failed} query={settingsQuery} />
      )}
      {!settings && settingsQuery.isPending && (
        <div className={styles.form} role="status" aria-label="Loading">
          <Skeleton width="100%" />
          <Skeleton width="70%" />
        </div>
      )}
      {settings &&
        (settings.description || settings.rules ? (
          renderTexts(settings)
        ) : (
          <p className={styles.hint}>This class has no description and no rules yet.</p>
        ))}
      {children}
    </Modal>
  );
}
