import { toContactUrl } from '#contract/contact-url.ts';
import { getText } from '#web/get-text.ts';
import { site } from '#web/site.ts';
import styles from './site-footer.module.css';

/** The link to the site's contact, if `site.supportContact` is set. */
export const contactUrl = toContactUrl(site.supportContact);

const links = [
  [getText('ui.footer.report'), '/report'],
  [getText('ui.footer.contact'), site.supportContact && contactUrl],
  [getText('ui.footer.imprint'), site.imprintUrl],
  [getText('ui.footer.terms'), site.termsUrl],
  [getText('ui.footer.sourceCode'), site.sourceUrl],
  // The build writes it.
  [getText('ui.footer.licenses'), '/licenses.txt'],
] as const;

/** Links to the contact and the operator's legal pages, and the version of the program. */
export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      {links.map(
        ([label, url]) =>
          url && (
            <a key={label} href={url} target="_blank" rel="noreferrer">
              {label}
            </a>
          ),
      )}
      <bdi>{getText('ui.footer.version', { version: site.version })}</bdi>
    </footer>
  );
}
