import { toContactUrl } from '#contract/contact-url.ts';
import { site } from '#web/site.ts';
import styles from './site-footer.module.css';

/** The link to the site's contact, if `site.supportContact` is set. */
export const contactUrl = toContactUrl(site.supportContact);

const links = [
  ['Contact', site.supportContact && contactUrl],
  ['Imprint', site.imprintUrl],
  ['Terms', site.termsUrl],
  ['Source code', site.sourceUrl],
  // The build writes it.
  ['Licenses', '/licenses.txt'],
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
      <span>Backchannel {site.version}</span>
    </footer>
  );
}
