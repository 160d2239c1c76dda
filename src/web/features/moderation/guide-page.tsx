import { getRichText } from '#web/get-rich-text.ts';
import { getText, language } from '#web/get-text.ts';
import { Link } from '#web/ui/navigation.tsx';
import { TabPage } from '#web/ui/tabbed-screen.tsx';
import styles from './guide-page.module.css';

/** What a moderator has to know, on one page. docs/moderate.md says the same with pictures. */
export function GuidePage() {
  return (
    <TabPage label={getText('moderation.guide.title')} className={styles.column}>
      <h2>{getText('moderation.guide.whatTheyDo')}</h2>
      {language !== 'en' && <p>{getText('moderation.guide.summary')}</p>}
      <p>{getRichText('moderation.guide.lead', { link: <Link to="/moderation" /> })}</p>
      <ul>
        <li>{getText('legal.guide.anonymous')}</li>
        <li>{getText('legal.guide.unseen')}</li>
        <li>{getText('legal.guide.aboutYou')}</li>
      </ul>
      <h2>{getText('moderation.guide.decide')}</h2>
      <ol>
        <li>{getText('legal.guide.read')}</li>
        <li>{getText('legal.guide.choose')}</li>
        <li>{getText('legal.guide.reason')}</li>
        <li>{getText('legal.guide.undo')}</li>
        <li>{getText('legal.guide.told')}</li>
      </ol>
      <p>{getRichText('moderation.guide.keys', { kbd: <kbd /> })}</p>
      <h2>{getText('moderation.guide.danger')}</h2>
      <p>{getText('legal.guide.danger')}</p>
      <h2>{getText('moderation.guide.unreported')}</h2>
      <p>{getText('moderation.guide.reportYourself')}</p>
      <h2>{getText('moderation.guide.escalate')}</h2>
      <p>{getText('legal.guide.escalate')}</p>
      <h2>{getText('moderation.guide.appeals')}</h2>
      <p>{getText('legal.guide.appeals')}</p>
    </TabPage>
  );
}
