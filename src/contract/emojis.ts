/** Heart, thumbs up, thumbs down, poop. */
export const emojis = ['❤️', '👍', '👎', '💩'] as const;
export type Emoji = (typeof emojis)[number];
