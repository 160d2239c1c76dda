// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'chat.announcer.message': { kind: string; name: string; summary: string };
  'chat.author.menu': { name: string };
  'chat.catchUp.votes': { count: number };
  'chat.closed.quietTime': { moment: string };
  'chat.composer.askAs': { staffName: string };
  'chat.composer.label': { className: string };
  'chat.composer.labelAs': { className: string; staffName: string };
  'chat.composer.sendAs': { staffName: string };
  'chat.connection.keptAt': { moment: string };
  'chat.emoji.found': { count: number };
  'chat.emoji.foundAtLeast': { count: number };
  'chat.emoji.recentThen': { category: string };
  'chat.emoji.suggested': { count: number };
  'chat.header.classDetailsOf': { courseName: string };
  'chat.list.hidden': { count: number };
  'chat.list.ignored': { count: number };
  'chat.list.jump': { count: number };
  'chat.list.jumpAtLeast': { count: number };
  'chat.list.loadingPage': { kind: string };
  'chat.list.notPrinted': { kind: string };
  'chat.list.pageFailed': { kind: string };
  'chat.mentions.found': { count: number };
  'chat.mentions.unreached': { name: string };
  'chat.menu.saveFiles': { count: number };
  'chat.menu.savePdfs': { count: number };
  'chat.menu.savePictures': { count: number };
  'chat.menu.sentAt': { time: string };
  'chat.message.own': { name: string };
  'chat.pdf.firstPageOf': { pages: number };
  'chat.pdf.labelWithPages': { label: string; pages: number };
  'chat.pdf.pages': { count: number };
  'chat.personal.confirm': { warning: string };
  'chat.personal.confirmPoll': { warning: string };
  'chat.picture.inMessage': { count: number; kind: string; number: number };
  'chat.picture.label': { kind: string };
  'chat.picture.place': { count: number; kind: string; number: number };
  'chat.picture.position': { count: number; number: number };
  'chat.pins.count': { count: number };
  'chat.poll.closesIn': { wait: string };
  'chat.poll.closingTimeInvalid': { count: number };
  'chat.poll.newAs': { staffName: string };
  'chat.poll.openUntil': { time: string };
  'chat.poll.option': { number: number };
  'chat.poll.optionCount': { count: number; voters: number };
  'chat.poll.voters': { count: number };
  'chat.poll.votes': { count: number };
  'chat.reactions.failed': { reason: string };
  'chat.reactions.others': { count: number };
  'chat.slowMode.interval': { wait: string };
  'chat.slowMode.wait': { wait: string };
  'chat.staged.describe': { kind: string; number: number };
  'chat.staged.description': { kind: string; number: number };
  'chat.staged.failed': { kind: string; numbers: string; problem: string };
  'chat.staged.moveLeft': { kind: string };
  'chat.staged.moveRight': { kind: string };
  'chat.staged.original': { megabytes: string };
  'chat.staged.remove': { kind: string; number: number };
  'chat.staged.select': { kind: string; number: number };
  'chat.unread.count': { count: number };
  'chat.unread.countAtLeast': { count: number };
  'chat.unsent.keepTab': { count: number };
  'chat.unsent.retryIn': { wait: string };
  'chat.upload.done': { total: string; uploaded: string };
  'chat.upload.progress': { percent: number };
  'chat.upload.waiting': { total: string };
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
  'chat.closed.continuesIn': { bdi: Tag; classLabel: string; className: string; link: Tag };
  'chat.composer.rejectedFiles': { bdi: Tag; count: number; names: string; problem: string };
  'lectures.votes': { b: Tag; count: number };
}
