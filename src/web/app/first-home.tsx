import { useNavigate } from 'react-router';
import { limits } from '#contract/limits.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { getRichText } from '#web/get-rich-text.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Crowd } from '#web/ui/empty-state.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './first-home.module.css';

/** The keyboard of a touch screen would cover what the page says. */
function focusWithKeyboard(input: HTMLInputElement | null): void {
  if (matchMedia('(hover: hover)').matches) input?.focus({ preventScroll: true });
}

/** Tells a member without classes what this is, and lets them search for the first one. */
export function FirstHome() {
  useTitle(getText('classList.title'));
  const school = useSchoolTheme().data?.['name'] || site.appName;
  const navigate = useNavigate();
  return (
    <div className={styles.page}>
      <Crowd count={5} size={48} />
      <PageHeading className={styles.title}>{getText('app.firstHome.title')}</PageHeading>
      <p className="muted">
        {getRichText('app.firstHome.lead', { school, bdi: <bdi translate="no" /> })}
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
          ref={focusWithKeyboard}
          className={styles.input}
          type="search"
          name="q"
          aria-label={getText('app.firstHome.search')}
          placeholder={getText('app.firstHome.placeholder')}
          maxLength={limits.searchQuery}
          autoComplete="off"
          enterKeyHint="search"
          dir="auto"
        />
      </form>
      <p className="meta">
        {getRichText('app.firstHome.example', { link: <Link to="/create" /> })}
      </p>
    </div>
  );
}
