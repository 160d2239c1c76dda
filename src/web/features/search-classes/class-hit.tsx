import { useId } from 'react';
import { Link } from 'react-router';
import type { SearchHit } from '#contract/search.ts';
import { classNameOf, daysOf, membersOf, timesOf } from '#web/data/class-facts.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Highlighted } from './highlighted.tsx';
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
  const name = classNameOf(hit);
  const times = timesOf(hit);
  const { _highlightResult: marked } = hit;
  const markedName = name === hit.courseName ? marked?.courseName : marked?.name;
  return (
    <article className={styles.hit} aria-labelledby={id}>
      <div className={styles.about}>
        <div className={styles.head}>
          <h2 className={styles.name} id={id}>
            <bdi>
              <Highlighted text={name} marked={markedName?.value} />
            </bdi>
          </h2>
          <p className={styles.members}>
            <Icon name="people" size={16} />
            {membersOf(hit)}
          </p>
        </div>
        <Code hit={hit} />
        <p className={styles.facts}>
          <span>
            <Icon name="calendar" size={16} />
            {daysOf(hit)}
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
            <Link to={`/home/${hit.objectID}`} data-hit-action aria-describedby={id}>
              Open
            </Link>
          </p>
        )}
      </div>
      <Button
        variant={joined ? 'plain' : 'quiet'}
        data-hit-action={joined ? undefined : ''}
        aria-disabled={joining}
        aria-describedby={id}
        onClick={onJoin}
      >
        {joining ? 'Joining…' : 'Join Class'}
      </Button>
    </article>
  );
}

/** `CS 146 · Section 02` in upper case, with matches highlighted. */
function Code({ hit }: { hit: SearchHit }) {
  const { _highlightResult: marked } = hit;
  const part = (field: 'subjectAbbreviation' | 'courseNumber' | 'sectionNumber') => (
    <Highlighted text={hit[field] ?? ''} marked={marked?.[field]?.value} upperCase />
  );
  const { subjectAbbreviation: subject, courseNumber: number, sectionNumber: section } = hit;
  if (!subject && !number && !section) return null;
  return (
    <p className={styles.code}>
      {part('subjectAbbreviation')}
      {subject && number && ' '}
      {part('courseNumber')}
      {(subject || number) && section && ' · '}
      {section && 'Section '}
      {part('sectionNumber')}
    </p>
  );
}
