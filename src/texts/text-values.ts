// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'error.ALREADY_DECIDED': { decidedBy: string };
  'error.MERGE_ENDED': { className: string };
  'error.QUIET_TIME': { sentence: string };
  'error.REVIEW_ALREADY_DECIDED': { decidedBy: string };
  'error.WRONG_EMAIL_DOMAIN': { addresses: string };
  'lectures.hall.place': { count: number; place: number };
  'lectures.poll.closedVoted': { count: number };
  'lectures.poll.count': { count: number; percent: number };
  'lectures.poll.openVoted': { count: number };
  'lectures.strip.open': { count: number };
  'lectures.strip.until': { time: string };
  'lectures.strip.waiting': { count: number };
  'mail.digest.atLeast': { count: number };
  'mail.digest.more': { count: number };
  'mail.digest.subject': { appName: string };
  'mail.digest.text': { classes: string; unsubscribeUrl: string; url: string };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'lectures.votes': { b: Tag; count: number };
}
