import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { createLazyModule } from '#web/lazy-module.ts';
import { useSchoolTheme } from '#web/data/school-theme.ts';
import { School } from '#web/ui/logo.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './auth-page.module.css';

const languageChoice = createLazyModule(() => import('#web/data/language-choice.tsx'));

interface Props {
  title: string;
  lead: ReactNode;
  foot: ReactNode;
  children: ReactNode;
}

/** The single-column layout of all forms for signed-out visitors. */
export function AuthPage({ title, lead, foot, children }: Props) {
  useTitle(title);
  return (
    <main className={styles.page} id="main">
      <div className={styles.column}>
        <header className="stack-s start">
          <School theme={useSchoolTheme().data ?? null} height={40} />
          <h1 className={styles.title}>{title}</h1>
          <p className={styles.lead}>{lead}</p>
        </header>
        {children}
        <footer className={styles.foot}>{foot}</footer>
        <LaterLanguageChoice />
        <SiteFooter />
      </div>
    </main>
  );
}

/** Loads after the form. */
function LaterLanguageChoice() {
  const code = useSyncExternalStore(languageChoice.subscribe, languageChoice.getSnapshot);
  useEffect(() => void languageChoice.load(), []);
  return code && <code.LanguageChoice isSignedIn={false} />;
}
