import { useNavigate } from 'react-router';
import { limits } from '#contract/limits.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { site } from '#web/site.ts';
import { Crowd } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './first-home.module.css';

/** Tells a member without classes what this is, and lets them search for the first one. */
export function FirstHome() {
  useTitle('My Classes');
  const school = useSchoolTheme().data?.['name'] || site.appName;
  const navigate = useNavigate();
  return (
    <div className={styles.page}>
      <Crowd count={5} size={48} />
      <PageHeading className={styles.title}>Ask what everyone is wondering.</PageHeading>
      <p className="muted">
        Each class at <bdi translate="no">{school}</bdi> has a room. You get a new name and icon in
        every one. Nobody in the class sees who you are.
      </p>
      <form
        role="search"
        className={styles.box}
        action={(fields) => {
          const query = new URLSearchParams({ q: String(fields.get('q')) });
          void navigate(`/search?${query}`);
        }}
      >
        <Icon name="search" />
        <input
          className={styles.input}
          type="search"
          name="q"
          aria-label="Search classes"
          placeholder="Search your data here"
          maxLength={limits.searchQuery}
          autoComplete="off"
          enterKeyHint="search"
          dir="auto"
        />
      </form>
      <p className="meta">
        For example CS 146, or “linear algebra”. Not there? <Link to="/create">Create a class</Link>{' '}
        and share its link.
      </p>
    </div>
  );
}
