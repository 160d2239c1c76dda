import { Link } from 'react-router';
import { ArrivalHeading } from '#web/ui/arrival-heading.tsx';
import { buttonClass } from '#web/ui/button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { VisuallyHidden } from '#web/ui/visually-hidden.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './home-screen.module.css';

export function NoClassPane() {
  useTitle('My Classes');
  return (
    <div className={styles.quiet}>
      <ArrivalHeading>
        <VisuallyHidden>My Classes</VisuallyHidden>
      </ArrivalHeading>
      <EmptyState drawing="table" text="The rooms of your classes open here.">
        <div className={styles.actions}>
          <Link className={buttonClass('primary')} to="/search">
            Search classes
          </Link>
          <Link className={buttonClass('quiet')} to="/create">
            Create a class
          </Link>
        </div>
      </EmptyState>
    </div>
  );
}
