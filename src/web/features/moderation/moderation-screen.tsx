// The screen of moderators and operators (/moderation): the queue of cases with the decision on each, and for
// operators reports from outside, roles, the audit log and requests to unmask. The server sends it personas and no
// account; the one exception is the address that an unmasking shows once to the second operator. What a moderator typed survives a
// lost connection.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useMatch } from 'react-router';
import { refreshModeration } from './moderation.ts';
import { useLeaveWhenRoleEnds } from '#web/data/use-leave-when-role-ends.ts';
import { useIsOperator } from '#web/data/session.ts';
import { getText } from '#web/get-text.ts';
import type { LiveClient } from '#web/sync/room/room.ts';
import { Status } from '#web/ui/status.tsx';
import { TabbedScreen } from '#web/ui/tabbed-screen.tsx';
import { useIsOnline } from '#web/ui/use-is-online.ts';
import { AuditLog } from './audit-log.tsx';
import { CaseDesk } from './case-desk.tsx';
import { GuidePage } from './guide-page.tsx';
import { OutsideReports } from './outside-reports.tsx';
import { RolesPage } from './roles-page.tsx';
import { OpenUnmaskings } from './unmasking/open-unmaskings.tsx';
import styles from './moderation-screen.module.css';

const moderatorTabs = [
  { path: '/moderation', title: getText('moderation.queue.title') },
  { path: '/moderation/guide', title: getText('moderation.guide.title') },
];
const operatorTabs = [
  ...moderatorTabs,
  { path: '/moderation/outside', title: getText('moderation.outside.title') },
  { path: '/moderation/roles', title: getText('moderation.roles.tab') },
  { path: '/moderation/audit', title: getText('moderation.audit.title') },
  { path: '/admin', title: getText('moderation.administration') },
];

interface Props {
  live: Pick<LiveClient, 'onModerationChanged' | 'connection'>;
}

export function ModerationScreen({ live }: Props) {
  const client = useQueryClient();
  const isOperator = useIsOperator();
  const part = useMatch('/moderation/:part')?.params.part;
  const isOperatorPage = isOperator && /^(audit|outside|roles)$/.test(part ?? '');
  const page = isOperatorPage || part === 'guide' ? part : 'cases';
  const currentPath = page === 'cases' ? '/moderation' : `/moderation/${page}`;
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
  useLeaveWhenRoleEnds();
  return (
    <TabbedScreen
      title={getText('moderation.title')}
      tabs={isOperator ? operatorTabs : moderatorTabs}
      currentPath={currentPath}
    >
      <Status>
        {!isOnline && <p className={styles.offline}>{getText('moderation.offline')}</p>}
      </Status>
      <OpenUnmaskings />
      {page === 'audit' && <AuditLog />}
      {page === 'guide' && <GuidePage />}
      {page === 'outside' && <OutsideReports />}
      {page === 'roles' && <RolesPage />}
      {page === 'cases' && <CaseDesk />}
    </TabbedScreen>
  );
}
