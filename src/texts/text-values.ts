// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'api.reason': { error: string; reason: string };
  'api.tryAgainIn': { duration: string; error: string };
  'classSearch.empty.query': { query: string };
  'classSearch.empty.queryAndFilters': { query: string };
  'classSearch.filter.selected': { count: number };
  'classSearch.filters.remove': { filter: string; value: string };
  'classSearch.results.found': { count: number };
  'classSearch.results.largestFirst': { count: number };
  'classSettings.dialog.done': { className: string };
  'classSettings.dialog.title': { className: string };
  'classSettings.figures.mutedMembers': { count: number };
  'classSettings.figures.recent': { figures: string };
  'classSettings.figures.removedMembers': { count: number };
  'classSettings.figures.removedMessages': { count: number };
  'classSettings.pins.count': { count: number };
  'classSettings.pins.moveDown': { place: number };
  'classSettings.pins.moveUp': { place: number };
  'classSettings.pins.unpin': { place: number };
  'classSettings.quietTime.everyWeek': { range: string; sentence: string; zone: 'own' | string };
  'classSettings.quietTime.once': { range: string; sentence: string; zone: 'own' | string };
  'classSettings.quietTime.problem': { number: number; problem: string };
  'classSettings.quietTime.remove': { number: number };
  'classSettings.quietTime.restriction': { time: string };
  'classSettings.quietTime.timeZone': { zone: string };
  'classSettings.quietTime.title': { number: number };
  'classSettings.quietTimes.hint': { timeZone: string };
  'classSettings.slowMode.every': { duration: string };
  'classSettings.slowMode.restriction': { duration: string };
  'classSettings.texts.length': { length: number };
  'createClass.title': { appName: string };
  'data.class.days': { first: string; next: string };
  'data.class.joinFailed': { error: string };
  'data.class.members': { count: number };
  'data.class.section': { section: string };
  'data.decision.member': { sanction: 'removed' | 'hour' | 'day' | 'week' | string };
  'data.decision.message': {
    decision: 'remove' | string;
    sanction: 'removed' | 'hour' | 'day' | 'week' | string;
  };
  'data.preference.failed': { error: string };
  'data.signInAgain.first': { signOnLabel: string };
  'data.signInAgain.insteadOfPassword': { signOnLabel: string };
  'data.signInAgain.label': { signOnLabel: string };
  'format.anonymousName': { name: string };
  'format.described': { label: string; text: string };
  'format.duration.hours': { count: number };
  'format.duration.minutes': { count: number };
  'format.duration.seconds': { count: number };
  'format.future.later': { moment: string };
  'format.future.today': { time: string };
  'format.moment': { day: string; time: string };
  'format.pdfs': { count: number };
  'format.pictures': { count: number };
  'format.picturesAndPdfs': { pdfCount: number; pictureCount: number };
  'format.staffName': { name: string };
  'lectures.hall.place': { count: number; place: number };
  'lectures.poll.closedVoted': { count: number };
  'lectures.poll.count': { count: number; percent: number };
  'lectures.poll.openVoted': { count: number };
  'lectures.strip.open': { count: number };
  'lectures.strip.until': { time: string };
  'lectures.strip.waiting': { count: number };
  'legal.sanction.mutedUntil': { moment: string };
  'legal.suspension.about': { className: string };
  'legal.suspension.until': { moment: string };
  'legal.unmasking.since': { day: string };
  'mail.digest.atLeast': { count: number };
  'mail.digest.more': { count: number };
  'mail.digest.subject': { appName: string };
  'mail.digest.text': { classes: string; unsubscribeUrl: string; url: string };
  'report.own.title': { className: string };
  'sync.lostFiles.all': { count: number };
  'sync.lostFiles.butText': { count: number };
  'sync.lostFiles.refused': { refusal: string };
  'ui.code.labelWithLanguage': { language: string };
  'ui.copy.byHand': { text: string };
  'ui.footer.version': { version: string };
  'ui.question.vote': { count: number };
  'ui.question.votes': { count: number };
  'ui.share.byHand': { link: string };
  'ui.share.copied': { link: string };
  'ui.wait.minutes': { minutes: number };
  'ui.wait.seconds': { seconds: number };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'classSearch.hit.section': { section: string; tag: Tag };
  'classSearch.joined': { link: Tag };
  'classSearch.rewritten': { bdi: Tag; query: string };
  'classSettings.conflict.text': { bdi: Tag; value: string };
  'classSettings.notify.off': { link: Tag };
  'lectures.votes': { b: Tag; count: number };
}
