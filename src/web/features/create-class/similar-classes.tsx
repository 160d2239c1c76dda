import { Fragment } from 'react';
import { Link, useNavigate } from 'react-router';
import type { ClassFields } from '#contract/class-fields.ts';
import type { SearchHit } from '#contract/search.ts';
import { errorMessage } from '#web/api.ts';
import { classNameOf, daysOf, membersOf, timesOf } from '#web/data/class-facts.ts';
import { useClasses, useJoinClass } from '#web/data/classes.ts';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { useNotify } from '#web/ui/notices.tsx';
import { useSimilarClasses } from './use-similar-classes.ts';
import styles from './similar-classes.module.css';

/** Lists existing classes that match the input. It does not block creation. */
export function SimilarClasses({ fields }: { fields: ClassFields }) {
  const similar = useSimilarClasses(fields);
  const many = similar.length > 1;
  return (
    <div className={similar.length > 0 ? styles.similar : styles.nothing}>
      <p role="status" className={styles.title}>
        {similar.length > 0 &&
          (many
            ? 'These classes exist already. Is one of them yours?'
            : 'This class exists already. Is it yours?')}
      </p>
      {similar.length > 0 && (
        <ul aria-label="Classes that exist already">
          {similar.map((hit) => (
            <li key={hit.objectID}>
              <Similar hit={hit} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Similar({ hit }: { hit: SearchHit }) {
  const navigate = useNavigate();
  const notify = useNotify();
  const join = useJoinClass();
  const classId = hit.objectID;
  const joined = useClasses().data?.some((mine) => mine.classId === classId);
  const nameId = `similar-${classId}`;
  const submit = () => {
    if (join.isPending) return;
    join.mutate(classId, {
      onSuccess: () => void navigate('/', { state: { classId } }),
      onError: (error) => {
        console.error('Joining the class failed.', error);
        notify({ text: `The class was not joined. ${errorMessage(error)}` });
      },
    });
  };
  const section = hit.sectionNumber && `Section ${hit.sectionNumber.toUpperCase()}`;
  const facts = [section, daysOf(hit), timesOf(hit), membersOf(hit)].filter(Boolean);
  return (
    <article className={styles.one} aria-labelledby={nameId}>
      <div className={styles.about}>
        <p className={styles.name} id={nameId}>
          <bdi>{classNameOf(hit)}</bdi>
        </p>
        <p className={styles.facts}>
          {facts.map((fact, n) => (
            // Allows a line break between facts.
            <Fragment key={fact}>
              {n > 0 && ' '}
              <span>{n < facts.length - 1 ? `${fact} ·` : fact}</span>
            </Fragment>
          ))}
        </p>
      </div>
      {joined ? (
        <Link className={buttonClass('quiet')} to={`/home/${classId}`} aria-describedby={nameId}>
          Open
        </Link>
      ) : (
        <Button aria-describedby={nameId} aria-disabled={join.isPending} onClick={submit}>
          {join.isPending ? 'Joining…' : 'Join Class'}
        </Button>
      )}
    </article>
  );
}
