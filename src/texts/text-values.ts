// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'lectures.hall.place': { count: number; place: number };
  'lectures.poll.closedVoted': { count: number };
  'lectures.poll.count': { count: number; percent: number };
  'lectures.poll.openVoted': { count: number };
  'lectures.strip.open': { count: number };
  'lectures.strip.until': { time: string };
  'lectures.strip.waiting': { count: number };
  'legal.lift.suspension': { name: string };
  'legal.lift.told': { name: string };
  'legal.unmasking.confirm': { className: string; name: string };
  'legal.unmasking.request': { className: string; name: string };
  'legal.unmasking.tooOld': { day: string };
  'mail.digest.atLeast': { count: number };
  'mail.digest.more': { count: number };
  'mail.digest.subject': { appName: string };
  'mail.digest.text': { classes: string; unsubscribeUrl: string; url: string };
  'moderation.audit.idsOfEntry': { number: string };
  'moderation.case.id': { id: string };
  'moderation.case.idForOperators': { id: string };
  'moderation.case.messageTitle': { className: string };
  'moderation.case.newestReports': { count: number };
  'moderation.case.personTitle': { className: string };
  'moderation.case.reports': { count: number };
  'moderation.context.edited': { moment: string };
  'moderation.context.failed': { problem: string };
  'moderation.context.last': { count: number };
  'moderation.context.shown': { shown: 'hidden' | 'removed' | string };
  'moderation.granted': { name: string; role: 'staff' | string };
  'moderation.history.count': { count: number; outcome: 'open' | 'kept' | string };
  'moderation.history.mutedUntil': { moment: string };
  'moderation.history.others': { counts: string };
  'moderation.lift.done': { name: string };
  'moderation.lift.title': { kind: 'mute' | string };
  'moderation.pending.seconds': { seconds: number };
  'moderation.pending.secondsLeft': { seconds: number };
  'moderation.queue.decidedBy': { decision: string; name: string };
  'moderation.queue.review': { kind: 'escalation' | string };
  'moderation.queue.stale': { problem: string };
  'moderation.reason.kept': { problem: string };
  'moderation.review.kind': { kind: 'escalation' | string };
  'moderation.review.length': { days: '7' | '30' | '120' | string };
  'moderation.review.suspended': { days: '7' | '30' | '120' | string };
  'moderation.review.suspendedUntil': { moment: string };
  'moderation.roles.holder': { className: string; name: string; role: 'staff' | string };
  'moderation.roles.revokeModerator': { className: string; name: string };
  'moderation.roles.revokeOf': { className: string; name: string };
  'moderation.roles.revokeStaff': { className: string; name: string };
  'moderation.roles.roleInClass': { className: string; role: 'staff' | string };
  'moderation.unmasking.answerLost': { problem: string };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'lectures.votes': { b: Tag; count: number };
  'moderation.audit.actionInClass': { action: string; b: Tag; bdi: Tag; className: string };
  'moderation.audit.note': { code: Tag; command: string };
  'moderation.case.decidedBy': { b: Tag; bdi: Tag; decision: string; name: string };
  'moderation.guide.keys': { kbd: Tag };
  'moderation.guide.lead': { link: Tag };
  'moderation.history.sanctionReason': { bdi: Tag; day: string; name: string; reason: string };
  'moderation.history.title': { bdi: Tag; name: string };
  'moderation.review.decidedBy': { bdi: Tag; decision: string; name: string };
  'moderation.review.sanctionReason': { bdi: Tag; name: string; reason: string };
  'moderation.unmasking.asked': { bdi: Tag; moment: string; name: string; who: 'you' | string };
  'moderation.unmasking.ground.given': { bdi: Tag; name: string };
  'moderation.unmasking.outcome': {
    bdi: Tag;
    closer: string;
    requester: string;
    state: 'expired' | 'withdrawn' | 'used' | 'impossible' | string;
  };
  'moderation.unmasking.waits': {
    bdi: Tag;
    className: string;
    moment: string;
    name: string;
    who: 'you' | string;
  };
}
