import type { ReactNode } from 'react';
import type { Emoji } from '#contract/emojis.ts';
import { getText } from '#web/get-text.ts';
import styles from './reaction-figure.module.css';

/** The name of each reaction for labels and screen readers. */
export const reactionNames: Readonly<Record<Emoji, string>> = {
  '❤️': getText('chat.reactions.heart'),
  '👍': getText('chat.reactions.thumbsUp'),
  '👎': getText('chat.reactions.thumbsDown'),
  '💩': getText('chat.reactions.poop'),
};

const thumb = (
  <>
    <path
      className={styles.hand}
      d="M7.500 10.700 11 4.100c.4-1 1-1.700 2-1.600 1.500.1 2.400 1.500 2.100 3.100L14.500 9h4.700c1.500 0 2.600 1.300 2.300 2.800l-1.400 6.500a2.700 2.700 0 0 1-2.600 2.200H11c-1.300 0-2.500-.3-3.500-1Z"
    />
    <path className={styles.crease} d="M16.300 12.700h3.600M15.900 16.300h3.300" />
    <rect className={styles.cuff} x="2.500" y="10" width="4" height="10.800" rx="1.300" />
  </>
);

const figures: Readonly<Record<Emoji, ReactNode>> = {
  '❤️': (
    <path
      className={styles.heart}
      d="M12 20.800C5.600 16.300 2.400 12.800 2.400 8.900A5.200 5.200 0 0 1 12 6.100a5.200 5.200 0 0 1 9.600 2.800c0 3.900-3.200 7.400-9.600 11.900Z"
    />
  ),
  '👍': thumb,
  '👎': <g transform="rotate(180 12 12) translate(24 0) scale(-1 1)">{thumb}</g>,
  '💩': (
    <>
      <path
        className={styles.poop}
        d="M12.400 2.400c.7 1.100.6 2.100 0 2.900 2.600.2 4.300 1.600 4.100 3.700 0 .4-.1.800-.3 1.100 2.100.4 3.400 1.700 3.400 3.400 0 .5-.1 1-.3 1.400 1.500.4 2.400 1.500 2.400 2.900 0 2.100-1.700 3.400-4.200 3.400h-11c-2.500 0-4.200-1.300-4.200-3.400 0-1.400.9-2.500 2.400-2.900-.2-.4-.3-.9-.3-1.400 0-1.600 1.200-2.900 3-3.300-.2-.4-.3-.8-.3-1.200 0-2 1.600-2.600 3-3.500 1.200-.7 2-1.600 2.300-3.100Z"
      />
      <circle className={styles.light} cx="9.300" cy="12.600" r="1.900" />
      <circle className={styles.light} cx="14.700" cy="12.600" r="1.900" />
      <circle className={styles.ink} cx="9.500" cy="12.700" r="0.9" />
      <circle className={styles.ink} cx="14.500" cy="12.700" r="0.9" />
      <path className={styles.smile} d="M9.200 17c1.700 1.300 3.900 1.300 5.600 0" />
    </>
  ),
};

/** Drawn as SVG, so that it looks the same on every system and needs no emoji font. */
export function ReactionFigure({ emoji, size = 18 }: { emoji: Emoji; size?: number }) {
  return (
    <svg
      className={styles.figure}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      aria-hidden="true"
    >
      {figures[emoji]}
    </svg>
  );
}
