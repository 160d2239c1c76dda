import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { errorMessage } from '#web/api.ts';
import { useClasses } from '#web/data/classes.ts';
import { useLogoUrl } from '#web/data/school-theme.ts';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { Button, buttonClass } from '#web/ui/button.tsx';
import { Logo } from '#web/ui/logo.tsx';
import type { Live } from '#web/sync/room.ts';
import { Skeleton } from '#web/ui/skeleton.tsx';
import { ClassRow } from './class-row.tsx';
import styles from './class-list.module.css';

interface Props {
  openId: string | null;
  live: Live;
  /** On a narrow screen the panel is the main landmark of the page. */
  asMain: boolean;
}

export function ClassList({ openId, live, asMain }: Props) {
  const logo = useLogoUrl();
  const title = asMain ? (
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
  return asMain ? (
    <main className={`${styles.panel} ${styles.whole}`} id="main" tabIndex={-1}>
      {content}
    </main>
  ) : (
    <nav className={styles.panel} aria-label="My Classes">
      {content}
    </nav>
  );
}

function Classes({ openId, live }: Omit<Props, 'asMain'>): ReactNode {
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
    return (
      <div className={styles.empty} role="alert">
        <p>{errorMessage(classes.error)}</p>
        <Button onClick={() => void classes.refetch()}>Retry</Button>
      </div>
    );
  }
  if (classes.data.length === 0) {
    return (
      <div className={styles.empty}>
        <p>You are not enrolled in any classes.</p>
        <Link className={buttonClass('quiet')} to="/search">
          Find a class
        </Link>
      </div>
    );
  }
  return (
    <ul className={styles.list}>
      {classes.data.map((of) => (
        <li key={of.classId}>
          <ClassRow of={of} open={of.classId === openId} live={live} />
        </li>
      ))}
    </ul>
  );
}
