import { classLabel } from '#contract/class-label.ts';
import type { SearchHit } from '#contract/search.ts';
import { Button } from '#web/ui/button.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { clockTime } from './clock-time.ts';
import styles from './search-screen.module.css';

function codeOf({ subjectAbbreviation, courseNumber, sectionNumber }: SearchHit): string {
  const course = [subjectAbbreviation, courseNumber].filter(Boolean).join(' ').toUpperCase();
  const section = sectionNumber && `Section ${sectionNumber.toUpperCase()}`;
  return [course, section].filter(Boolean).join(' · ');
}

interface Props {
  hit: SearchHit;
  joining: boolean;
  onJoin: () => void;
}

export function ClassHit({ hit, joining, onJoin }: Props) {
  const code = codeOf(hit);
  const name = hit.courseName?.trim() || hit.name?.trim() || classLabel(hit);
  const days = Array.isArray(hit.classSchedule)
    ? hit.classSchedule.join(' & ')
    : 'No Schedule Available';
  const times = [clockTime(hit.beginClassTime), clockTime(hit.endClassTime)].filter(Boolean);
  return (
    <article className={styles.hit} aria-label={name}>
      <div className={styles.about}>
        <h2 className={styles.name}>
          <bdi>{name}</bdi>
        </h2>
        {code && <p className={styles.code}>{code}</p>}
        <p className={styles.facts}>
          <span>
            <Icon name="people" size={16} />
            {hit.memberCount === 1 ? '1 member' : `${hit.memberCount} members`}
          </span>
          <span>
            <Icon name="calendar" size={16} />
            {days || 'No Schedule Available'}
          </span>
          {times.length > 0 && (
            <span>
              <Icon name="clock" size={16} />
              {times.join(' – ')}
            </span>
          )}
        </p>
      </div>
      <Button aria-disabled={joining} onClick={onJoin}>
        {joining ? 'Joining…' : 'Join Class'}
      </Button>
    </article>
  );
}
