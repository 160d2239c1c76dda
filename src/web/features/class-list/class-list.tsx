// The member's own classes: the list next to a room, with unread counts and a menu for each class. On a narrow
// screen the list is a page. `class-switcher.tsx` is the same list as a dialog for the keyboard, and
// `ignored-dialog.tsx` lists whom the member ignores in a class. The counts come from light subscriptions, so
// classes that are not open load no messages.
import type { ReactNode } from 'react';
import type { Class } from '#contract/entities.ts';
import { useClasses } from '#web/data/classes.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { toButtonClass } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import type { LiveClient } from '#web/sync/room/room.ts';
import { QueryFailure } from '#web/ui/query-failure.tsx';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ListResizer } from './list-resizer.tsx';
import { ClassRow } from './class-row.tsx';
import { rowAttribute, useRowKeys } from './use-row-keys.ts';
import styles from './class-list.module.css';

interface Props {
  openId: string | null;
  live: LiveClient;
  /** The panel is the main landmark of the page, as on a narrow screen. */
  isMain: boolean;
}

interface RowsProps extends Omit<Props, 'isMain'> {
  classes: readonly Class[];
}

export function ClassList({ openId, live, isMain }: Props) {
  const logo = useLogoUrl();
  const title = isMain ? (
    <PageHeading className={styles.title}>My Classes</PageHeading>
  ) : (
    <h2 className={styles.title}>My Classes</h2>
  );
  const content = (
    <>
      <div className={styles.logo}>
        <Logo url={logo} height={32} />
      </div>
      {title}
      <Classes openId={openId} live={live} />
    </>
  );
  return isMain ? (
    <main className={`${styles.panel} ${styles.whole}`} id="main" tabIndex={-1}>
      {content}
    </main>
  ) : (
    <nav className={styles.panel} aria-label="My Classes">
      {content}
      <ListResizer />
    </nav>
  );
}

function Classes({ openId, live }: Omit<Props, 'isMain'>): ReactNode {
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
    return <QueryFailure className={styles.empty} query={classes} />;
  }
  if (classes.data.length === 0) {
    return (
      <div className={styles.empty}>
        <p>You are not enrolled in any classes.</p>
        <Link className={toButtonClass('quiet')} to="/search">
          Search classes
        </Link>
      </div>
    );
  }
  return <Rows classes={classes.data} openId={openId} live={live} />;
}

function Rows({ classes, openId, live }: RowsProps) {
  const { tabStop, handlers } = useRowKeys(classes, openId);
  return (
    <ul className={styles.list} {...handlers}>
      {classes.map((joinedClass) => (
        <li key={joinedClass.classId} {...{ [rowAttribute]: joinedClass.classId }}>
          <ClassRow
            joinedClass={joinedClass}
            open={joinedClass.classId === openId}
            isTabStop={joinedClass.classId === tabStop}
            live={live}
          />
        </li>
      ))}
    </ul>
  );
}
