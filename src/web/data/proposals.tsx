import { getText } from '#web/get-text.ts';
import { Button } from '#web/ui/button.tsx';
import styles from './proposals.module.css';
import { useCall, useNoticedCommand } from './use-call.ts';

/** Instructors who came from a learning platform, and ask to be staff of their class. Nothing if none waits. */
export function Proposals() {
  const { data } = useCall('listProposals', {});
  const deciding = useNoticedCommand('decideProposal', {
    refreshes: ['listProposals', 'listGrantedRoles', 'readCourse'],
  });
  if (!data || data.proposals.length === 0) return null;
  return (
    <section className="stack-s" aria-labelledby="proposals">
      <h2 id="proposals">{getText('lti.proposals.title')}</h2>
      <p className="meta">{getText('lti.proposals.lead')}</p>
      <ul className="divided">
        {data.proposals.map(({ roleId, label, staffName, courseTitle }) => {
          const decide = (accept: boolean) =>
            deciding.mutate({ params: { roleId }, body: { accept } });
          return (
            <li key={roleId} className={styles.row} id={`proposal-${roleId}`}>
              <p>
                {getText('moderation.roles.roleInClass', { role: 'staff', className: label })}:{' '}
                <strong>
                  <bdi>{staffName}</bdi>
                </strong>
                <br />
                <bdi className="meta">{getText('lti.proposals.course', { courseTitle })}</bdi>
              </p>
              <div className="row">
                <Button aria-describedby={`proposal-${roleId}`} onClick={() => decide(false)}>
                  {getText('lti.proposals.reject')}
                </Button>
                <Button
                  variant="primary"
                  aria-describedby={`proposal-${roleId}`}
                  onClick={() => decide(true)}
                >
                  {getText('lti.proposals.accept')}
                </Button>
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
