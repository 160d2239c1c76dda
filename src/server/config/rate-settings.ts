// Reads the limits from settings such as LIMIT_POSTS=30/10s or LIMIT_POSTS=off.
import { StartupError } from '#server/base/startup-failure.ts';
import { defaultRates, type Rate, type RateName, type Rates } from '#server/base/rates.ts';

const rateNames = Object.keys(defaultRates) as RateName[];
const unitMs: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const maxPeriodMs = 31 * 86_400_000;

/** Says, in Markdown, for whom and what each limit counts. */
const countedPer: Record<RateName, string> = {
  signUps: 'network',
  signIns: 'network: failed sign-ins, except those from known browsers',
  failedSignIns:
    'account and network, or account and known browser. After that, each failure makes the next try wait longer, from 1 to 60 seconds',
  failedSignInsOfAccount:
    'account, from all networks together. After that, each network has one try before it waits',
  suspectSignIns:
    'network: failed sign-ins. After that, its sign-ins wait behind those from other networks',
  rightPasswords: 'account: correct passwords, at sign-ins and at confirmations',
  signOns: 'network: calls for sign-ins through the provider; a sign-in makes two',
  signUpMails: 'mailbox and network: mails with a link to sign up',
  resetMails:
    'mailbox and network: mails with a link to reset the password; those that known browsers request count separately',
  resets: 'network: requests to reset a password',
  mails: 'mailbox: mails of each kind, from all networks together',
  urgentMails: 'operator: mails about reported threats',
  posts: 'account',
  edits: 'account',
  deletes: 'account',
  reactions: 'account',
  textKilobytes: 'account: kilobytes of text that it posts and edits',
  uploads: 'account: pictures and PDFs',
  uploadKilobytes: 'account: kilobytes that its pictures and PDFs need on the disk',
  pictureSeconds:
    'account: seconds of decoding its pictures. After that, its pictures wait for those of other accounts',
  pdfs: 'account: uploaded PDFs',
  pdfSeconds:
    'account: seconds of drawing its PDFs. After that, its PDFs wait for those of other accounts',
  searches: 'account: searches for classes',
  messageSearches: 'account: searches in the messages of a class',
  reports: 'account: reports of messages and members',
  unmaskings: 'account: requests to unmask',
  grants: 'operator: granted roles',
  accountSearches: 'operator: searches for accounts by address, and actions on accounts',
  appeals: 'account: appeals against sanctions and suspensions',
  newClasses: 'account: created classes',
  exports: 'account: downloads of its own data',
  memberships: 'account: joins and leaves',
  historyPages: 'account: pages of older messages',
  subscriptions: 'account: opened rooms',
  readMarks: 'account',
  interfaceErrors: 'network: exceptions that pages of the app report',
  sockets: 'account: opened connections',
  pictures: 'account: downloads of pictures and PDFs',
  calls: 'account: HTTP calls of every kind',
  visits: 'network: calls without a session',
  refusals:
    'account, or network if there is no session: rejections that are sent immediately; each further one waits for a second',
  frames: 'account: frames of its WebSockets. After that, the server reads them more slowly',
};

/** Converts `newClasses` to LIMIT_NEW_CLASSES. */
function toSettingName(name: RateName): string {
  return `LIMIT_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

export const rateSettings: readonly string[] = rateNames.map(toSettingName);

/** Turns every limit off, for load tests and for tests of other features. */
export const unlimitedRates: Readonly<Record<string, string>> = Object.fromEntries(
  rateNames.map((name) => [toSettingName(name), 'off']),
);

/** Each limit as its setting would say it. */
export function formatRates(rates: Rates): [name: string, value: string][] {
  return rateNames.map((name) => [toSettingName(name), formatRate(rates[name])]);
}

/** Each limit with its default and whom it counts for, for the documentation. */
export function listRateSettings(): { name: string; default: string; countedPer: string }[] {
  return rateNames.map((name) => ({
    name: toSettingName(name),
    default: formatRate(defaultRates[name]),
    countedPer: countedPer[name],
  }));
}

function formatRate(rate: Rate | null): string {
  if (!rate) return 'off';
  const [unit = 's', unitLength = 1000] =
    Object.entries(unitMs).findLast(([, ms]) => rate.periodMs % ms === 0) ?? [];
  return `${rate.count}/${rate.periodMs / unitLength}${unit}`;
}

/** @throws {StartupError} */
export function parseRates(environment: Readonly<Record<string, string | undefined>>): Rates {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('LIMIT_') && !rateSettings.includes(name),
  );
  if (unknown) {
    throw new StartupError(`${unknown} is not a limit. The limits are ${rateSettings.join(', ')}.`);
  }
  return Object.fromEntries(
    rateNames.map((name) => {
      const text = environment[toSettingName(name)]?.trim();
      return [name, text ? parseRate(toSettingName(name), text) : defaultRates[name]];
    }),
  ) as Rates;
}

function parseRate(setting: string, text: string): Rate | null {
  if (text === 'off') return null;
  const [, count, times, unit] = /^(\d{1,9})\/(\d{0,6})([smhd])$/.exec(text) ?? [];
  const rate = { count: Number(count), periodMs: Number(times || 1) * (unitMs[unit ?? ''] ?? 0) };
  if (rate.count >= 1 && rate.periodMs > 0 && rate.periodMs <= maxPeriodMs) return rate;
  throw new StartupError(
    `${setting} is "${text}": use for example 30/10s, 100/10m or 50/1d (at most 31 days), or off.`,
  );
}
