// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'error.WRONG_EMAIL_DOMAIN': { addresses: string };
  'lectures.hall.place': { count: number; place: number };
  'lectures.poll.closedVoted': { count: number };
  'lectures.poll.count': { count: number; percent: number };
  'lectures.poll.openVoted': { count: number };
  'lectures.strip.open': { count: number };
  'lectures.strip.until': { time: string };
  'lectures.strip.waiting': { count: number };
  'legal.privacy.companies.push': { appName: string };
  'legal.privacy.figures.hint': { day: string };
  'legal.privacy.item': { item: string };
  'legal.privacy.lastItem': { item: string };
  'legal.privacy.lead': { appName: string };
  'legal.privacy.risks.network': { appName: string };
  'legal.privacy.strangers.classes': { addresses: string };
  'mail.digest.atLeast': { count: number };
  'mail.digest.more': { count: number };
  'mail.digest.subject': { appName: string };
  'mail.digest.text': { classes: string; unsubscribeUrl: string; url: string };
  'profile.devices.signOutNamed': { name: string };
  'profile.devices.signedOut': { name: string };
  'profile.install.lead': { appName: string };
  'profile.logOut.unsent': { count: number };
  'profile.pause.until': { day: string; time: string };
  'profile.thisDevice.kept': { count: number; moment: string };
  'shortcuts.hint': { keys: string };
  'signIn.email.label': { addresses: string };
  'signIn.join.lead': { email: string; provider: string };
  'signIn.link.lead': { provider: string };
  'signIn.signOn.submit': { provider: string };
  'signIn.signUp.title': { appName: string };
  'signIn.title': { appName: string };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'lectures.votes': { b: Tag; count: number };
  'profile.devices.signedIn': {
    day: string;
    isCurrent: 'true' | string;
    isNotified: 'true' | string;
    time: Tag;
  };
  'profile.identity': { link: Tag };
}
