// The screen of moderators and operators. It shows personas; no account ever reaches it.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMatch } from 'react-router';
import { AppError } from '#contract/errors.ts';
import { refreshModeration } from './moderation.ts';
import { refreshMe, useIsOperator } from '#web/data/session.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { useTitle } from '#web/ui/use-title.ts';
import { AuditLog } from './audit-log.tsx';
import { CaseDesk } from './case-desk.tsx';
import { RolesPage } from './roles-page.tsx';
import { OpenUnmaskings } from './unmasking/open-unmaskings.tsx';
import styles from './moderation-screen.module.css';

interface Props {
  live: Pick<LiveClient, 'onModerationChanged' | 'connection'>;
}

export function ModerationScreen({ live }: Props) {
  useTitle('Moderation');
  const client = useQueryClient();
  const isOperator = useIsOperator();
  const part = useMatch('/moderation/:part')?.params.part;
  const page = isOperator && (part === 'audit' || part === 'roles') ? part : 'cases';
  const isOnline = useIsOnline();
  useEffect(() => live.onModerationChanged(() => void refreshModeration(client)), [live, client]);
  useEffect(() => {
    // Changes that arrived before the connection opened, or while there was none, are unknown.
    const { connection } = live;
    const refresh = () => {
      if (connection.getSnapshot() === 'online') void refreshModeration(client);
    };
    return connection.subscribe(refresh);
  }, [live, client]);
  useEffect(() => {
    // The role was revoked: the screen disappears with it.
    return client.getQueryCache().subscribe(({ query }) => {
      const { error } = query.state;
      const isRefused = error instanceof AppError && error.code === 'NOT_ALLOWED';
      if (isRefused && query.queryKey[0] === 'moderation') void refreshMe(client);
    });
  }, [client]);
  return (
    <main className={styles.screen} id="main" tabIndex={-1}>
      <header className={styles.head}>
        <PageHeading className={styles.title}>Moderation</PageHeading>
        {isOperator && (
          <nav className={styles.tabs} aria-label="Moderation">
            <Link to="/moderation" aria-current={page === 'cases' ? 'page' : undefined}>
              Cases
            </Link>
            <Link to="/moderation/roles" aria-current={page === 'roles' ? 'page' : undefined}>
              Roles
            </Link>
            <Link to="/moderation/audit" aria-current={page === 'audit' ? 'page' : undefined}>
              Audit log
            </Link>
            <Link to="/admin">Administration</Link>
          </nav>
        )}
      </header>
      <div role="status">
        {!isOnline && (
          <p className={styles.offline}>
            You are offline. Decisions need a connection; what you type stays here.
          </p>
        )}
      </div>
      <OpenUnmaskings />
      {page === 'audit' && <AuditLog />}
      {page === 'roles' && <RolesPage />}
      {page === 'cases' && <CaseDesk />}
    </main>
  );
}
