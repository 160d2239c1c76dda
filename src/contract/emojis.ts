/** Heart, thumbs up, thumbs down, poop (REACT-1). */
export const emojis = ['❤️', '👍', '👎', '💩'] as const;
export type Emoji = (typeof emojis)[number];
