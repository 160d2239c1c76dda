import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { whoElseSeesSearches } from '#web/data/search-privacy.ts';
import { type Audience, seenBy } from '#contract/who-sees.ts';
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
        <Seen title="Your classmates see" by="members">
          <p>
            They never see your email address or your account. In another class you have another
            icon and another id, and nothing that reaches their browsers ties the two together. An
            instructor who joins is a classmate like everybody else.
          </p>
        </Seen>
        <Seen title="Everybody with an account sees" by="signedIn" />
        <Seen title="No other student sees" by="you" />
        <section>
          <h2>A stranger sees</h2>
          <ul>
            <li>nothing of any class: one must sign in with an @{site.emailDomain} address;</li>
            <li>a link to a class leads to the sign-in form, and says nothing about the class.</li>
          </ul>
        </section>
        <Operator />
        {whoElseSeesSearches && (
          <section>
            <h2>Somebody else sees</h2>
            <p>{whoElseSeesSearches}</p>
          </section>
        )}
        <NotPrevented />
        <p>
          <Link to={signedIn ? '/home' : '/signin'}>
            {signedIn ? 'Back to my classes' : 'Back to sign in'}
          </Link>
        </p>
      </article>
    </main>
  );
}

/** What the contract declares: nothing else is sent. */
function Seen({ title, by, children }: { title: string; by: Audience; children?: ReactNode }) {
  const things = seenBy(by);
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {things.map((thing, n) => (
          <li key={thing}>{`${thing}${n === things.length - 1 ? '.' : ';'}`}</li>
        ))}
      </ul>
      {children}
    </section>
  );
}

function Operator() {
  return (
    <section>
      <h2>Whoever runs this server sees</h2>
      <ul>
        <li>your email address, and the day on which you joined each class;</li>
        <li>every message, as everybody in the class sees it.</li>
      </ul>
      <p>
        The database does not say which account wrote a message: the tie is made with a secret key
        that is not in it, and the order of what accounts do is erased within seconds. A stolen copy
        of the database alone gives nobody away, but copies of it taken again and again, or the log
        of changes that a PostgreSQL database writes, can show who signed in right before a message.
        Somebody who controls the running server and its key can work it out. Anonymous here means:
        to your class, and to thieves; not to a determined operator, or to a court that orders one.
      </p>
      {!whoElseSeesSearches && (
        <p>Classes are searched on this server: nobody else learns what you look for.</p>
      )}
    </section>
  );
}

function NotPrevented() {
  return (
    <section>
      <h2>What gives you away all the same</h2>
      <ul>
        <li>your own words: how you write, and what only you could know;</li>
        <li>
          a name that you use elsewhere too, or the same name in two classes: who is in both may put
          them together;
        </li>
        <li>
          the moment: in a class of three, or right after you joined, when something is written says
          who could have; and who sits beside you sees you type;
        </li>
        <li>
          your network: whoever runs the campus network sees that you use {site.appName} and when,
          though not what you read or write where the address begins with https; who sees that and
          the class may match the moments;
        </li>
        <li>a screen that somebody else can read, or a computer where you stay signed in;</li>
        <li>a copy that a classmate made of what you wrote, before you deleted it.</li>
      </ul>
      <p>
        Leaving a class takes you out of it. What you wrote stays, under your name in that class.
        Deleting your account, on your profile, takes what you wrote with it or leaves it, as you
        choose; from what stays nothing leads to you any more.
      </p>
    </section>
  );
}
