import { Link } from 'react-router';
import { whoElseSeesSearches } from '#web/data/search-privacy.ts';
import { site } from '#web/site.ts';
import { useTitle } from '#web/ui/use-title.ts';
import styles from './privacy-screen.module.css';

export function PrivacyScreen({ signedIn }: { signedIn: boolean }) {
  useTitle('Who can see what');
  return (
    <main className={styles.page} id="main">
      <article className={styles.text}>
        <header>
          <h1 className={styles.title}>Who can see what</h1>
          <p className={styles.lead}>
            {site.appName} is a room per class where nobody sees who you are. This page says how far
            that goes, and where it ends.
          </p>
        </header>
        <section>
          <h2>Your classmates see</h2>
          <ul>
            <li>what you write in a class, and when you wrote it;</li>
            <li>the anonymous name and the icon that you have in that class;</li>
            <li>how many people are in the class, but no list of who they are.</li>
          </ul>
          <p>
            They never see your email address or your account. In another class you have another
            icon and another id, and nothing that reaches their browsers ties the two together.
          </p>
        </section>
        <section>
          <h2>Whoever runs this server sees</h2>
          <ul>
            <li>your email address, and the day on which you joined each class;</li>
            <li>every message, as everybody in the class sees it.</li>
          </ul>
          <p>
            The database does not say which account wrote a message: the tie is made with a secret
            key that is not in it, so that a stolen copy of the database alone gives nobody away.
            Somebody who controls the running server and its key can work it out. Anonymous here
            means: to your class, and to thieves; not to a determined operator, or to a court that
            orders one.
          </p>
        </section>
        {whoElseSeesSearches && (
          <section>
            <h2>Somebody else sees</h2>
            <p>{whoElseSeesSearches}</p>
          </section>
        )}
        <section>
          <h2>A stranger sees</h2>
          <ul>
            <li>nothing of any class: one must sign in with an @{site.emailDomain} address;</li>
            <li>a link to a class leads to the sign-in form, and says nothing about the class.</li>
          </ul>
        </section>
        <section>
          <h2>What gives you away all the same</h2>
          <ul>
            <li>your own words: how you write, and what only you could know;</li>
            <li>a screen that somebody else can read, or a computer where you stay signed in.</li>
          </ul>
          <p>
            Leaving a class takes you out of it. What you wrote stays, under the name it was written
            under.
          </p>
        </section>
        <p>
          <Link to={signedIn ? '/home' : '/signin'}>
            {signedIn ? 'Back to my classes' : 'Back to sign in'}
          </Link>
        </p>
      </article>
    </main>
  );
}
