// Who can see what (/privacy), for signed-in people and strangers alike. The lists come from
// `contract/field-visibility.ts`, which tests compare with real traffic, so the page cannot promise more than the
// server keeps. `site-figures.tsx` shows how often moderators acted.
import type { ReactNode } from 'react';
import { formatDomainChoice } from '#contract/email-address.ts';
import { type Audience, listVisibleFields } from '#contract/field-visibility.ts';
import { site } from '#web/site.ts';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { SiteFigures } from './site-figures.tsx';
import styles from './privacy-screen.module.css';

/** Names the company that sees searches. Null if only this server sees them. */
const searchCompanyNote = site.searchApplication
  ? 'Algolia, another company, runs the class search. It sees what you type into the search box, the code of a class that you create, and the address of your computer. It does not learn who you are or which classes you are in.'
  : null;

export function PrivacyScreen({ signedIn }: { signedIn: boolean }) {
  useTitle('Who can see what');
  return (
    <main className={styles.page} id="main" tabIndex={-1}>
      <article className={styles.text}>
        <header>
          <PageHeading className={styles.title}>Who can see what</PageHeading>
          <p className="muted">
            {site.appName} gives each class a chat room where classmates cannot see who you are.
            This page says what that covers and what it does not.
          </p>
        </header>
        <VisibleFields title="Your classmates see" audience="members">
          <p>
            They never see your email address or your account. You have a different icon and ID in
            each class, and nothing sent to their browsers connects the two. An instructor who joins
            sees what any classmate sees.
          </p>
        </VisibleFields>
        <VisibleFields title="Moderators of a class see" audience="moderators">
          <p>
            A moderator sees nothing of your account. The operators of the site moderate all
            classes.
          </p>
        </VisibleFields>
        <VisibleFields title="The operators of the site also see" audience="operators" />
        <VisibleFields title="Everyone with an account sees" audience="signedIn" />
        <VisibleFields title="No other student sees" audience="you" />
        <section>
          <h2>A stranger sees</h2>
          <ul>
            <li>
              nothing about any class, unless they sign in with an{' '}
              {formatDomainChoice(site.emailDomains)} address;
            </li>
            <li>only the sign-in form when they open a link to a class;</li>
            <li>{listVisibleFields('everybody').join('; ')}.</li>
          </ul>
        </section>
        <SiteFigures />
        <Operator />
        <section>
          <h2>Another company sees</h2>
          {searchCompanyNote && <p>{searchCompanyNote}</p>}
          <p>
            If you turn on notifications, the company behind your browser (such as Google, Mozilla,
            Apple or Microsoft) delivers them. It learns that your browser uses {site.appName}, and
            when you are notified. It cannot read what a notification says or which class it is
            about. Each one waits for a random time, usually up to ten seconds. Someone who has
            these times and those of a class’s messages could still match them.
          </p>
          <p>
            If you turn on the daily email, your email provider can read it: the names of your
            classes, and roughly how many messages you missed. It contains no message, no name, and
            nothing about whether someone mentioned you.
          </p>
        </section>
        <Risks />
        <p>
          <Link to={signedIn ? '/home' : '/signin'}>
            {signedIn ? 'Back to my classes' : 'Back to sign in'}
          </Link>
        </p>
        <SiteFooter />
      </article>
    </main>
  );
}

/** Lists the fields that the contract declares for this audience. The server sends no others. */
function VisibleFields({
  title,
  audience,
  children,
}: {
  title: string;
  audience: Audience;
  children?: ReactNode;
}) {
  const fields = listVisibleFields(audience);
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        {fields.map((field, n) => (
          <li key={field}>{`${field}${n === fields.length - 1 ? '.' : ';'}`}</li>
        ))}
      </ul>
      {children}
    </section>
  );
}

function Operator() {
  return (
    <section>
      <h2>The operator of this server sees</h2>
      <ul>
        <li>your email address, and the day you joined each class;</li>
        <li>every message, as everyone in the class sees it.</li>
      </ul>
      <p>
        The database does not show your address, your classes or which account wrote a message: all
        of that needs a secret key that is not in it. So a stolen copy reveals no one who has
        another name in each class. Someone who has copies from many days, or the change log of a
        PostgreSQL database, and the class lists of the university can guess who joined in a quiet
        hour. Someone who controls the running server and its key can work it out. You are anonymous
        to your classmates and to thieves, but not to a determined operator or to a court that
        orders one to look.
      </p>
      {!searchCompanyNote && (
        <p>Search runs on this server: no one else learns what you look for.</p>
      )}
    </section>
  );
}

function Risks() {
  return (
    <section>
      <h2>What can still give you away</h2>
      <ul>
        <li>your own words: how you write, and what only you could know;</li>
        <li>
          a name you also use elsewhere, or the same name or picture in several classes: someone in
          them can connect them, and a thief of the database who has the class lists can tell who
          you are;
        </li>
        <li>
          timing: in a tiny class, or just after you join, a message can point to you, and anyone
          next to you can see you type;
        </li>
        <li>
          your network: the operator of the campus network sees that you use {site.appName} and
          when, but not what you read or write if the address begins with https; anyone who can see
          both could match the times;
        </li>
        <li>a screen that someone else can read, or a shared computer where you stay signed in;</li>
        <li>
          your own device: without a network, the browser shows the last messages of your classes
          and which name is yours, until you log out or switch that off on your profile;
        </li>
        <li>a copy that a classmate made before you deleted a message.</li>
      </ul>
      <p>
        Leaving a class removes you from it. Your messages stay, under your anonymous name. When you
        delete your account on your profile, you choose whether your messages are deleted too; the
        ones that stay can no longer be traced to you. Your account is gone immediately. In each
        class the rest follows at a random time within 24 hours, the member count included, so that
        someone who shares several classes with you cannot see them change together.
      </p>
    </section>
  );
}
