// A separate module, because the sign-in screen does not need it.

/** The reactions that a member can choose from: heart, thumbs up, thumbs down, poop (REACT-1). */
export const emojis = ['❤️', '👍', '👎', '💩'] as const;
export type Emoji = (typeof emojis)[number];
