import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toErrorMessage } from '#web/api.ts';
import { isUnreachable } from '#web/data/query-client.ts';
import { getText } from '#web/get-text.ts';
import { Callout } from '#web/ui/callout.tsx';
import styles from './profile-screen.module.css';

interface Props {
  title: string;
  /** The section is the whole page, so the heading of the page is its title. */
  isPage?: boolean;
  /** One sentence about the purpose of the section. */
  lead: ReactNode;
  /** The request for the content. */
  query?: UseQueryResult | undefined;
  children: ReactNode;
}

export function ProfileSection({ title, isPage = false, lead, query, children }: Props) {
  const isOffline = query !== undefined && isUnreachable(query);
  const failure = isOffline || query?.data !== undefined ? null : query?.error;
  return (
    <section className={styles.section} aria-label={title}>
      {!isPage && <h2 className={styles.heading}>{title}</h2>}
      <p className="muted">{lead}</p>
      {isOffline && <p>{getText('profile.offline')}</p>}
      <Callout kind="error">{failure ? toErrorMessage(failure) : null}</Callout>
      {children}
    </section>
  );
}
