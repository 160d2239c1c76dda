import { site } from '#web/site.ts';

/** Who else learns of a search, for `/privacy`; null where this server alone does. */
export const whoElseSeesSearches = site.searchApplication
  ? 'Classes are searched by Algolia, another company. It sees what you type into the search, or as the code of a class that you create, and your computer’s address; it is not told who you are or which classes you are in.'
  : null;
