import { useId } from 'react';
import type { SearchHit } from '#contract/class-search.ts';
import {
  formatClassName,
  formatDays,
  formatMemberCount,
  formatTimes,
} from '#web/data/class-details.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { HighlightedText } from './highlighted-text.tsx';
import styles from './class-hit.module.css';

interface Props {
  hit: SearchHit;
  /** The viewer is a member. */
  joined: boolean;
  joining: boolean;
  onJoin: () => void;
}

export function ClassHit({ hit, joined, joining, onJoin }: Props) {
  const id = useId();
  const name = formatClassName(hit);
  const times = formatTimes(hit);
  const { _highlightResult: taggedTexts } = hit;
  const taggedName = name === hit.courseName ? taggedTexts?.courseName : taggedTexts?.name;
  return (
    <article className={styles.hit} aria-labelledby={id}>
      <div className={styles.about}>
        <h2 className={styles.name} id={id}>
          <bdi>
            <HighlightedText text={name} taggedText={taggedName?.value} />
          </bdi>
        </h2>
        <div className={styles.line}>
          <Code hit={hit} />
          <p className={styles.members}>
            <Icon name="people" size={16} />
            {formatMemberCount(hit)}
          </p>
        </div>
        <p className={styles.details}>
          <span>
            <Icon name="calendar" size={16} />
            {formatDays(hit)}
          </span>
          {times && (
            <span>
              <Icon name="clock" size={16} />
              {times}
            </span>
          )}
        </p>
        {joined && (
          <p className={styles.joined}>
            <Icon name="check" size={16} />
            You are in this class.
          </p>
        )}
      </div>
      {joined ? (
        <Link
          className={toButtonClass('quiet')}
          to={`/home/${hit.objectID}`}
          data-hit-action
          aria-describedby={id}
        >
          Open
        </Link>
      ) : (
        <Button data-hit-action aria-disabled={joining} aria-describedby={id} onClick={onJoin}>
          {joining ? 'Joining…' : 'Join Class'}
        </Button>
      )}
    </article>
  );
}

/** `CS 146 · Section 02` in upper case, with matches highlighted. */
function Code({ hit }: { hit: SearchHit }) {
  const { _highlightResult: taggedTexts } = hit;
  const renderPart = (field: 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber') => (
    <HighlightedText text={hit[field] ?? ''} taggedText={taggedTexts?.[field]?.value} upperCase />
  );
  const { subjectAbbreviation: subject, courseNumber: number, sectionNumber: section } = hit;
  if (!subject && !number && !section) return null;
  return (
    <p className={styles.code} translate="no">
      {renderPart('subjectAbbreviation')}
      {subject && number && ' '}
      {renderPart('courseNumber')}
      {(subject || number) && section && ' · '}
      {section && 'Section '}
      {renderPart('sectionNumber')}
    </p>
  );
}
