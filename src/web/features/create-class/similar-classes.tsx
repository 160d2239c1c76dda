import { Fragment } from 'react';
import { useNavigate } from 'react-router';
import type { ClassFields } from '#contract/class-fields.ts';
import type { SearchHit } from '#contract/class-search.ts';
import { toErrorMessage } from '#web/api.ts';
import {
  formatClassName,
  formatDays,
  formatMemberCount,
  formatSection,
  formatTimes,
} from '#web/data/class-details.ts';
import { useClasses, useJoinClass } from '#web/data/classes.ts';
import { getText } from '#web/get-text.ts';
import { Button, toButtonClass } from '#web/ui/button.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useSimilarClasses } from './use-similar-classes.ts';
import styles from './similar-classes.module.css';

/** Lists existing classes that match the input. It does not block creation. */
export function SimilarClasses({ fields }: { fields: ClassFields }) {
  const similarClasses = useSimilarClasses(fields);
  const hasSeveral = similarClasses.length > 1;
  return (
    <div className={similarClasses.length > 0 ? styles.similar : styles.nothing}>
      <p role="status" className="meta">
        {similarClasses.length > 0 &&
          (hasSeveral
            ? getText('createClass.similar.several')
            : getText('createClass.similar.one'))}
      </p>
      {similarClasses.length > 0 && (
        <ul aria-label={getText('createClass.similar.label')}>
          {similarClasses.map((hit) => (
            <li key={hit.objectID}>
              <SimilarClass hit={hit} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function SimilarClass({ hit }: { hit: SearchHit }) {
  const navigate = useNavigate();
  const notify = useNotify();
  const join = useJoinClass();
  const classId = hit.objectID;
  const isJoined = useClasses().data?.some((joinedClass) => joinedClass.classId === classId);
  const nameId = `similar-${classId}`;
  const submit = () =>
    join.mutate(classId, {
      onSuccess: () => void navigate('/', { state: { classId } }),
      onError: (error) => {
        console.error('Joining the class failed.', error);
        notify({ text: getText('data.class.joinFailed', { error: toErrorMessage(error) }) });
      },
    });
  const section = hit.sectionNumber && formatSection(hit.sectionNumber);
  const details = [section, formatDays(hit), formatTimes(hit), formatMemberCount(hit)].filter(
    Boolean,
  );
  return (
    <article className={styles.one} aria-labelledby={nameId}>
      <div className={styles.about}>
        <p className="medium" id={nameId}>
          <bdi>{formatClassName(hit)}</bdi>
        </p>
        <p className={styles.details}>
          {details.map((detail, n) => (
            // Allows a line break between details.
            <Fragment key={detail}>
              {n > 0 && ' '}
              <span>{n < details.length - 1 ? `${detail} ·` : detail}</span>
            </Fragment>
          ))}
        </p>
      </div>
      {isJoined ? (
        <Link className={toButtonClass('quiet')} to={`/home/${classId}`} aria-describedby={nameId}>
          {getText('createClass.similar.open')}
        </Link>
      ) : (
        <Button aria-describedby={nameId} aria-disabled={join.isPending} onClick={submit}>
          {join.isPending ? getText('data.class.joining') : getText('data.class.join')}
        </Button>
      )}
    </article>
  );
}
