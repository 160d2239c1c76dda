function metaContent(name: string, fallback: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content || fallback;
}

/** What the server's settings say, carried by index.html. */
export const site = {
  appName: metaContent('application-name', 'Backchannel'),
  emailDomains: metaContent('email-domain', 'university.edu').split(','),
  /** Of the hosted search that is asked instead of this server; '' without one. */
  searchApplication: metaContent('search-application', ''),
};
