import { useId } from 'react';
import type { SearchHit } from '#contract/class-search.ts';
import {
  formatClassName,
  formatDays,
  formatMemberCount,
  formatTimes,
} from '#web/data/class-details.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
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
      <div className="grow">
        <h2 className={styles.name} id={id}>
          <bdi>
            <HighlightedText text={name} taggedText={taggedName?.value} />
          </bdi>
        </h2>
        <div className={styles.details}>
          <Code hit={hit} />
          <p>{formatMemberCount(hit)}</p>
        </div>
        <div className={styles.details}>
          <p>{formatDays(hit)}</p>
          {times && <p>{times}</p>}
        </div>
      </div>
      {joined ? (
        <p className={styles.joined}>
          <Icon name="check" size={16} />
          <span>
            {getRichText('classSearch.joined', {
              link: <Link to={`/home/${hit.objectID}`} data-hit-action aria-describedby={id} />,
            })}
          </span>
        </p>
      ) : (
        <Button data-hit-action aria-disabled={joining} aria-describedby={id} onClick={onJoin}>
          {joining ? getText('data.class.joining') : getText('data.class.join')}
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
    <p translate="no">
      {renderPart('subjectAbbreviation')}
      {subject && number && ' '}
      {renderPart('courseNumber')}
      {(subject || number) && section && ' · '}
      {section &&
        getRichText('classSearch.hit.section', { section, tag: renderPart('sectionNumber') })}
    </p>
  );
}
