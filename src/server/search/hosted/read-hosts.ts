/** Where Algolia's client asks in a browser: the policy of our pages allows these and no others. */
export function readHosts(applicationId: string): string[] {
  const id = applicationId.toLowerCase();
  const fallbacks = [1, 2, 3].map((n) => `https://${id}-${n}.algolianet.com`);
  return [`https://${id}-dsn.algolia.net`, ...fallbacks];
}
