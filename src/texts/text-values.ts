// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'accounts.block.done': { email: string };
  'accounts.card.actions': { email: string };
  'accounts.card.done': { action: string; email: string };
  'accounts.correct.done': { email: string };
  'accounts.correct.lead': { email: string };
  'accounts.delete.done': { email: string };
  'accounts.delete.lead': { email: string };
  'accounts.reset.confirm': { email: string };
  'accounts.search.empty': { email: string };
  'accounts.search.found': { email: string };
  'accounts.signOut.confirm': { email: string };
  'accounts.unblock.confirm': { reason: string };
  'accounts.unblock.label': { reason: string };
  'accounts.verify.confirm': { email: string };
  'announcements.banner.class': { className: string };
  'announcements.banner.spoken': { text: string };
  'announcements.list.class': { className: string };
  'announcements.list.times': { end: string; phase: string; start: string };
  'announcements.new.textHint': { count: number };
  'announcements.withdraw.confirmClass': { className: string };
  'classAdmin.delete.confirm': { className: string };
  'classAdmin.edit.done': { className: string };
  'classAdmin.edit.title': { className: string };
  'classAdmin.end.confirm': { className: string; days: number };
  'classAdmin.import.check': { count: number };
  'classAdmin.import.columnNumber': { number: number };
  'classAdmin.import.columnsOf': { fileName: string };
  'classAdmin.import.furtherMeetings': { count: number };
  'classAdmin.import.imported': { count: number };
  'classAdmin.import.linesDone': { all: number; done: number };
  'classAdmin.import.missingColumns': { columns: string };
  'classAdmin.import.more': { count: number };
  'classAdmin.import.plan': {
    ambiguous: number;
    changed: number;
    new: number;
    same: number;
    wrong: number;
  };
  'classAdmin.import.stopped': { all: number; done: number };
  'classAdmin.import.submit': { count: number };
  'classAdmin.list.count': { count: number };
  'classAdmin.menu.label': { className: string };
  'classAdmin.merge.done': { className: string };
  'classAdmin.merge.lead': { className: string };
  'classAdmin.merge.lost': { roleCount: number };
  'classAdmin.merge.members': { duplicateCount: number; keptCount: number };
  'classAdmin.merge.title': { className: string };
  'classAdmin.outcome.imported': { outcome: string };
  'classAdmin.pages.place': { count: number; page: number };
  'classAdmin.row.done': { action: string; className: string };
  'classAdmin.row.members': { count: number };
  'classAdmin.row.termAndMembers': { count: number; term: string };
  'classAdmin.section': { section: string };
  'classAdmin.status.reopenable': { day: string };
  'classAdmin.status.restorable': { day: string };
  'classAdmin.term.choice': { count: number; term: string };
  'classAdmin.term.done': { act: string; count: number; term: string };
  'classAdmin.term.endedChoice': { day: string; term: string };
  'classAdmin.term.ends': { days: number };
  'classAdmin.term.more': { count: number };
  'classAdmin.term.progress': { act: string; all: number; done: number };
  'classAdmin.term.running': { act: string };
  'classAdmin.term.start': { act: string; count: number };
  'classAdmin.term.title': { act: string };
  'health.now.connectionCount': { count: number };
  'health.overview.stale': { problem: string };
  'health.size.gigabytes': { size: string };
  'health.size.megabytes': { count: number };
  'health.warnings.day': { count: number; day: string };
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
  'accounts.blocks.item': { bdi: Tag; day: string; muted: Tag; reason: string };
  'accounts.card.device': { day: string; deviceName: string; muted: Tag };
  'classAdmin.import.change': { after: string; bdi: Tag; before: string; field: string };
  'lectures.votes': { b: Tag; count: number };
}
