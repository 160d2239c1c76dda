/**
 * The tests of this folder that also run in Firefox, by the first words of their titles. `npm test` runs the first
 * five, and `npm run test:all` all of them.
 */
export const firefoxJourneys = [
  'a student finds a class, views it and joins it',
  'Enter sends, except with Shift',
  'a member picks a reaction, changes it and removes it',
  'a member picks, previews, describes and sends a picture',
  'an author confirms and deletes a message',
  'a student signs up with verification by the mail',
  'the link of a class just left offers nothing',
  'both members see what a reply answers',
  'a member sends a PDF, another sees its first page',
  'the first formula loads a font of mathematics',
  'Ctrl+F searches the messages of the class',
  'an author edits in place',
  'a deleted message is gone for everyone',
  'without a network the app opens with what is kept',
  'messages written while the server is down are sent',
  'Ctrl+K switches to a class by a part of its name',
  'a member marks messages as unread, also for other tabs',
  'a link opens a message of any age and marks it',
  'a moderator removes a message by keyboard',
  'a moderator pins messages',
  'a new name and icon appear immediately',
  'a chosen name mentions the member',
  'theme, text size and density apply immediately',
  'a click enlarges a picture',
];

export const shortFirefoxJourneys = firefoxJourneys.slice(0, 5);

/** Matches the titles that begin with one of these words. Playwright puts the file and a space before a title. */
export function toTitlePattern(beginnings: readonly string[]): RegExp {
  const alternatives = beginnings.map((words) => RegExp.escape(words)).join('|');
  return new RegExp(`\\.spec\\.ts (?:.* )?(?:${alternatives})`);
}
