// The member's own classes: the list next to a room, with unread counts and a menu for each class. On a narrow
// screen the list is a page. `class-switcher.tsx` is the same list as a dialog for the keyboard, and
// `ignored-dialog.tsx` lists whom the member ignores in a class. The counts come from light subscriptions, so
// classes that are not open load no messages.
import type { ReactNode } from 'react';
import type { Class } from '#contract/entities.ts';
import { useClasses } from '#web/data/classes.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { getText } from '#web/get-text.ts';
import { createPreloadedModule } from '#web/lazy-module.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { School } from '#web/ui/logo.tsx';
import type { LiveClient } from '#web/sync/room/room.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { useStore } from '#web/use-store.ts';
import { ClassRow } from './class-row.tsx';
import { rowAttribute, useRowKeys } from './use-row-keys.ts';
import styles from './class-list.module.css';

const markAllRead = createPreloadedModule(() => import('./mark-all-read.tsx'));
const listResizer = createPreloadedModule(() => import('./list-resizer.tsx'));

interface Props {
  openId: string | null;
  live: LiveClient;
  /** The panel is the main landmark of the page, as on a narrow screen. */
  isMain: boolean;
  /** Follows the sentence that there are no classes. */
  empty?: ReactNode;
}

interface RowsProps extends Props {
  classes: readonly Class[];
}

export function ClassList({ openId, live, isMain, empty }: Props) {
  const theme = useSchoolTheme();
  const code = useStore(markAllRead);
  const resizer = useStore(listResizer);
  const content = (
    <>
      <div className={styles.school}>
        <School theme={theme.data ?? null} height={28} />
      </div>
      <div className={styles.title}>
        {isMain && !empty ? (
          <PageHeading>{getText('classList.title')}</PageHeading>
        ) : (
          <h2>{getText('classList.title')}</h2>
        )}
        {code && <code.MarkAllRead live={live} />}
      </div>
      <Classes openId={openId} live={live} isMain={isMain} empty={empty} />
    </>
  );
  return isMain ? (
    <main className={`${styles.panel} ${styles.whole}`} id="main" tabIndex={-1}>
      {content}
    </main>
  ) : (
    <nav className={styles.panel} aria-label={getText('classList.title')}>
      {content}
      {resizer && <resizer.ListResizer />}
    </nav>
  );
}

function Classes({ openId, live, isMain, empty }: Props): ReactNode {
  const classes = useClasses();
  if (classes.isPending) {
    return (
      <div className={styles.waiting}>
        {[96, 72, 120, 84].map((width) => (
          <Skeleton key={width} width={width} height={14} />
        ))}
      </div>
    );
  }
  if (!classes.data) {
    return <QueryFailure className={`empty ${styles.empty}`} query={classes} />;
  }
  if (classes.data.length === 0) {
    return (
      <>
        <p className={`muted ${styles.empty}`}>{getText('classList.empty')}</p>
        {empty}
      </>
    );
  }
  return <Rows classes={classes.data} openId={openId} live={live} isMain={isMain} />;
}

function Rows({ classes, openId, live, isMain }: RowsProps) {
  const { tabStop, handlers } = useRowKeys(classes, openId);
  return (
    <ul className={styles.list} {...handlers}>
      {classes.map((joinedClass) => (
        <li key={joinedClass.classId} {...{ [rowAttribute]: joinedClass.classId }}>
          <ClassRow
            joinedClass={joinedClass}
            open={joinedClass.classId === openId}
            isWhole={isMain}
            isTabStop={joinedClass.classId === tabStop}
            live={live}
          />
        </li>
      ))}
    </ul>
  );
}
