import { site } from '#web/site.ts';

/** Names the third party that sees searches, for `/privacy`. Null if only this server sees them. */
export const whoElseSeesSearches = site.searchApplication
  ? 'Classes are searched by Algolia, another company. It sees what you type into the search, or as the code of a class that you create, and your computer’s address; it is not told who you are or which classes you are in.'
  : null;
