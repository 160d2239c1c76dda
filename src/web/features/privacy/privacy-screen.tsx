// Who can see what (/privacy), for signed-in people and strangers alike. The lists come from
// `contract/field-visibility.ts`, which tests compare with real traffic, so the page cannot promise more than the
// server keeps. `site-figures.tsx` shows how often moderators acted.
import type { ReactNode } from 'react';
import { formatDomainChoice } from '#contract/email-address.ts';
import { type Audience, listVisibleSubjects } from '#contract/field-visibility.ts';
import { getText, language } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import { Link } from '#web/ui/navigation.tsx';
import { PageHeading } from '#web/ui/page-heading.tsx';
import { SiteFooter } from '#web/ui/site-footer.tsx';
import { useTitle } from '#web/ui/use-title.ts';
import { SiteFigures } from './site-figures.tsx';
import { subjectTexts } from './visible-subjects.ts';
import styles from './privacy-screen.module.css';

/** Names the company that sees searches. Null if only this server sees them. */
const searchCompanyNote = site.searchApplication ? getText('legal.privacy.algolia') : null;

export function PrivacyScreen({ signedIn }: { signedIn: boolean }) {
  useTitle(getText('privacy.title'));
  return (
    <main className={styles.page} id="main" tabIndex={-1}>
      <article className={styles.text}>
        <header>
          <PageHeading className={styles.title}>{getText('privacy.title')}</PageHeading>
          <p className="muted">{getText('legal.privacy.lead', { appName: site.appName })}</p>
          {language !== 'en' && <p>{getText('privacy.summary')}</p>}
        </header>
        <VisibleFields title={getText('legal.privacy.members.title')} audience="members">
          <p>{getText('legal.privacy.members.never')}</p>
        </VisibleFields>
        <VisibleFields title={getText('legal.privacy.moderators.title')} audience="moderators">
          <p>{getText('legal.privacy.moderators.never')}</p>
        </VisibleFields>
        <VisibleFields title={getText('legal.privacy.operators.title')} audience="operators" />
        <VisibleFields title={getText('legal.privacy.signedIn.title')} audience="signedIn" />
        <VisibleFields title={getText('legal.privacy.you.title')} audience="you" />
        <section>
          <h2>{getText('legal.privacy.strangers.title')}</h2>
          <ul>
            <li>
              {getText('legal.privacy.strangers.classes', {
                addresses: formatDomainChoice(site.emailDomains, language),
              })}
            </li>
            <li>{getText('legal.privacy.strangers.link')}</li>
            <Items audience="everybody" />
          </ul>
        </section>
        <SiteFigures />
        <Operator />
        <section>
          <h2>{getText('legal.privacy.companies.title')}</h2>
          {searchCompanyNote && <p>{searchCompanyNote}</p>}
          <p>{getText('legal.privacy.companies.push', { appName: site.appName })}</p>
          <p>{getText('legal.privacy.companies.mail')}</p>
        </section>
        <Risks />
        <p>
          <Link to={signedIn ? '/home' : '/signin'}>
            {signedIn ? getText('privacy.back') : getText('signIn.back')}
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
  return (
    <section>
      <h2>{title}</h2>
      <ul>
        <Items audience={audience} />
      </ul>
      {children}
    </section>
  );
}

function Items({ audience }: { audience: Audience }) {
  const subjects = listVisibleSubjects(audience);
  return subjects.map((subject, n) => (
    <li key={subject}>
      {n === subjects.length - 1
        ? getText('legal.privacy.lastItem', { item: subjectTexts[subject] })
        : getText('legal.privacy.item', { item: subjectTexts[subject] })}
    </li>
  ));
}

function Operator() {
  return (
    <section>
      <h2>{getText('legal.privacy.server.title')}</h2>
      <ul>
        <li>{getText('legal.privacy.server.address')}</li>
        <li>{getText('legal.privacy.server.messages')}</li>
      </ul>
      <p>{getText('legal.privacy.server.database')}</p>
      {!searchCompanyNote && <p>{getText('legal.privacy.server.search')}</p>}
    </section>
  );
}

function Risks() {
  return (
    <section>
      <h2>{getText('legal.privacy.risks.title')}</h2>
      <ul>
        <li>{getText('legal.privacy.risks.words')}</li>
        <li>{getText('legal.privacy.risks.name')}</li>
        <li>{getText('legal.privacy.risks.timing')}</li>
        <li>{getText('legal.privacy.risks.network', { appName: site.appName })}</li>
        <li>{getText('legal.privacy.risks.screen')}</li>
        <li>{getText('legal.privacy.risks.device')}</li>
        <li>{getText('legal.privacy.risks.copy')}</li>
      </ul>
      <p>{getText('legal.privacy.leaving')}</p>
    </section>
  );
}
