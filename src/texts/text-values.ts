// The values of the texts that need some. `npm run texts` writes this file from en.json.
import type english from './en.json';

export type TextKey = Exclude<keyof typeof english, `@@${string}`>;

export interface TextValues {
  'app.classList.unread': { unread: string };
  'app.staffNews.text': { className: string };
  'app.toDecide': { count: string };
  'app.unmasking.summary': { day: string };
  'classList.ignore.person': { name: string };
  'classList.ignored.title': { className: string };
  'classList.leave.confirm': { className: string };
  'classList.leave.done': { className: string };
  'classList.mentions': { count: number };
  'classList.mentions.more': { count: number };
  'classList.menu.options': { className: string };
  'classList.resizer.width': { count: number };
  'classList.stopIgnoring.person': { name: string };
  'classList.switcher.count': { count: number };
  'classList.unread': { count: number };
  'classList.unread.more': { count: number };
  'classPictures.pdf': { count: number };
  'classPictures.picture.described': { description: string };
  'joinClass.confirm': { className: string };
  'joinClass.section': { section: string };
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
  'messageSearch.count': { count: number };
  'messageSearch.count.soFar': { count: number };
  'messageSearch.empty': { className: string; query: string };
  'messageSearch.hint': { className: string };
  'messageSearch.title': { className: string };
  'persona.button.label': { name: string };
  'persona.dialog.done': { className: string; name: string };
  'persona.dialog.note': { className: string };
  'persona.joining.start': { name: string };
  'persona.members.count': { count: number };
  'persona.members.shownCount': { count: number; shownCount: number };
  'persona.options': { name: string };
  'persona.title': { className: string };
  'persona.youAre': { className: string };
  'persona.youAre.loading': { className: string };
  'questions.hall.codeLasts': { count: number };
  'questions.lecture.hours': { count: number };
  'questions.lecture.startAtClassTime': { time: string };
  'questions.lecture.until': { time: string };
  'questions.lecture.untilClassEnds': { time: string };
  'questions.panel.title': { className: string };
  'questions.tab.open.count': { count: number };
  'questions.title.count': { count: number };
  'questions.waiting.title': { count: number };
}

/** Texts with tags. */
export interface RichTextValues<Tag> {
  'app.firstHome.example': { link: Tag };
  'app.firstHome.lead': { bdi: Tag; school: string };
  'lectures.votes': { b: Tag; count: number };
  'legal.suspended.lead': { link: Tag };
  'messageSearch.answered': { answer: string; bdi: Tag };
  'questions.hall.openAndType': { b: Tag; url: string };
}
