import type { Emoji } from '#contract/emojis.ts';

/** What each reaction is called, for labels and for whoever does not see it. */
export const reactionNames: Readonly<Record<Emoji, string>> = {
  '❤️': 'Heart',
  '👍': 'Thumbs up',
  '👎': 'Thumbs down',
  '💩': 'Poop',
};
