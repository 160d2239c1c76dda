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
  'mail.accountDeleted.subject': { appName: string };
  'mail.accountDeleted.text': {
    appName: string;
    contact: 'none' | string;
    messages: 'kept' | string;
  };
  'mail.confirmAddress.subject': { appName: string };
  'mail.confirmAddress.text': { appName: string; url: string };
  'mail.digest.atLeast': { count: number };
  'mail.digest.more': { count: number };
  'mail.digest.subject': { appName: string };
  'mail.digest.text': { classes: string; unsubscribeUrl: string; url: string };
  'mail.footer.contact': { contact: string };
  'mail.footer.site': { appName: string; url: string };
  'mail.footer.siteOf': { appName: string; organization: string; url: string };
  'mail.moderator.subject': { appName: string; className: string };
  'mail.moderator.text': { appName: string; className: string; url: string };
  'mail.newAddress.subject': { appName: string };
  'mail.newAddress.text': { appName: string; url: string };
  'mail.noAccount.subject': { appName: string };
  'mail.noAccount.text': { appName: string; url: string };
  'mail.oldAddress.subject': { appName: string };
  'mail.oldAddress.text': { appName: string; contact: 'none' | string };
  'mail.reset.subject': { appName: string };
  'mail.reset.text': { appName: string; url: string };
  'mail.sessionsEnded.subject': { appName: string };
  'mail.sessionsEnded.text': { appName: string; contact: 'none' | string };
  'mail.signOnLink.subject': { appName: string; provider: string };
  'mail.signOnLink.text': { appName: string; provider: string; url: string };
  'mail.signUpAgain.subject': { appName: string };
  'mail.signUpAgain.text': { appName: string; url: string };
  'mail.staff.subject': { appName: string; className: string };
  'mail.staff.text': { appName: string; className: string; url: string };
  'mail.threat.subject': { appName: string };
  'mail.threat.text': { appName: string; url: string };
  'mail.unmasking.subject': { appName: string };
  'mail.unmasking.text': { appName: string; url: string };
  'mail.unusedAccount.reminder': { appName: string; day: string };
  'mail.unusedAccount.subject': { appName: string };
  'mail.unusedAccount.text': { appName: string; day: string; months: number; url: string };
  'mail.verification.subject': { appName: string };
  'mail.verification.text': { appName: string; url: string };
  'mail.work.subject': { appName: string };
  'mail.work.text': { appName: string; url: string };
  'push.answered': { className: string };
  'push.file': { name: string };
  'push.newMessages': { className: string };
  'push.text': { name: string; text: string };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'lectures.votes': { b: Tag; count: number };
}
