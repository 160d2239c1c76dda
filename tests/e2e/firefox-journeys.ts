/**
 * The tests of this folder that also run in Firefox, by the first words of their titles. `npm test` runs the first
 * five, and `npm run test:all` all of them.
 */
export const firefoxJourneys = [
  'a student finds a class, views it and joins it',
  'Enter sends a message, except with Shift or during input composition',
  'a member picks, changes and removes a reaction, and the other member sees each step',
  'a member describes and sends a picture, and both members see it',
  'Undo and Ctrl+Z put the text of a deleted message back without sending it',
  'a student verifies a sign-up with the mailed page and the password',
  'the link of a class that was just left offers nothing in that tab until the student has rejoined',
  'the quote of a reply links to its message',
  'a member sends a PDF, and another one sees its first page and downloads it',
  'the first formula loads a font whose brackets and arrows are as large as their content',
  'Ctrl+F searches the messages of the class',
  'an author edits in place',
  'the app opens without a network and later sends what was written',
  'a new tab sends messages that were written while the server was down, once and in order',
  'Ctrl+K switches to a class by a part of its name',
  'a member marks messages as unread and as read again, also in other tabs',
  'a link opens and marks a message of any age, and a button leads back to the newest one',
  'a moderator removes a message by keyboard',
  'members open and jump to messages that a moderator pinned',
  'a new name and icon appear immediately',
  'a mention is marked for its member, and shows their current name to everyone',
  'the app asks for the permission only after a click',
  'the settings of the display apply immediately in all tabs until Log Out',
  'a click enlarges a picture',
  'the browser converts a chosen or dropped AVIF',
  'a course in a frame of its platform opens in a window',
  'the link of a class that is picked in a window arrives in the frame',
];

export const shortFirefoxJourneys = firefoxJourneys.slice(0, 5);

/** Matches the titles that begin with one of these words. Playwright puts the file and a space before a title. */
export function toTitlePattern(beginnings: readonly string[]): RegExp {
  const alternatives = beginnings.map((words) => RegExp.escape(words)).join('|');
  return new RegExp(`\\.spec\\.ts (?:.* )?(?:${alternatives})`);
}
