// What becomes of everything that the keys of the server store. A key or a column without a row here fails the test.

import { hashesOfOutputs } from './key-watch.ts';

/**
 * `renewed`: computed again with the new key. `erased`: gone. `kept`: unchanged. `unlinked`: unchanged, but no one can compute it
 * again, because the salt of its class is gone.
 */
export type Fate = 'renewed' | 'erased' | 'kept' | 'unlinked';

interface Fates {
  /** `new-key` with the old key. */
  newKey: Fate;
  /** `new-key` after the old key was lost. */
  lostKey: Fate;
  /** The fate in a class whose links are removed. */
  linksRemoved: Fate;
}

const rows: Record<string, Record<string, [newKey: Fate, lostKey: Fate, linksRemoved: Fate]>> = {
  personas: {
    'personas.memberId': ['renewed', 'unlinked', 'unlinked'],
    'personas.icon': ['renewed', 'unlinked', 'unlinked'],
    'messages.memberId': ['renewed', 'unlinked', 'unlinked'],
    'messages.text': ['renewed', 'unlinked', 'unlinked'],
    // Of the id and the content of a message.
    'messages.digest': ['erased', 'erased', 'kept'],
    'images.digest': ['erased', 'erased', 'unlinked'],
    'images.memberId': ['renewed', 'unlinked', 'unlinked'],
    'reactions.memberId': ['renewed', 'unlinked', 'unlinked'],
    'mentions.memberId': ['renewed', 'unlinked', 'unlinked'],
    'waitingQuestions.memberId': ['erased', 'erased', 'erased'],
    'waitingQuestions.text': ['erased', 'erased', 'erased'],
    'log.memberId': ['renewed', 'unlinked', 'unlinked'],
    'log.ref': ['renewed', 'unlinked', 'unlinked'],
    'cases.memberId': ['renewed', 'unlinked', 'unlinked'],
    'reports.target': ['renewed', 'erased', 'unlinked'],
    'sanctions.memberId': ['renewed', 'unlinked', 'unlinked'],
    'reviews.memberId': ['renewed', 'unlinked', 'unlinked'],
    'suspensions.memberId': ['renewed', 'erased', 'unlinked'],
    'auditLog.memberId': ['renewed', 'unlinked', 'unlinked'],
    'serverMetadata keyCheck': ['renewed', 'renewed', 'kept'],
    'serverMetadata mailboxKeysSetBy': ['renewed', 'renewed', 'kept'],
  },
  'personas / staff personas': {
    'personas.memberId': ['renewed', 'unlinked', 'unlinked'],
    'personas.icon': ['renewed', 'unlinked', 'unlinked'],
    'messages.memberId': ['renewed', 'unlinked', 'unlinked'],
    'privateTurns.memberId': ['erased', 'erased', 'erased'],
  },
  'personas / reporters': { 'reports.reporter': ['renewed', 'erased', 'unlinked'] },
  'personas / evidence': {
    'cases.evidence': ['renewed', 'erased', 'kept'],
    'reports.text': ['renewed', 'erased', 'kept'],
    'reviews.text': ['renewed', 'erased', 'kept'],
    'outsideReports.content': ['renewed', 'erased', 'kept'],
    'serverMetadata waitingWork': ['erased', 'erased', 'kept'],
  },
  'personas / staff': { 'registers.content': ['renewed', 'erased', 'kept'] },
  'personas / members': { 'registers.content': ['renewed', 'erased', 'kept'] },
  'personas / factors': { 'registers.content': ['renewed', 'erased', 'kept'] },
  // They tell which operator or moderator decided, and nothing of a persona.
  'personas / operators': {
    'cases.decider': ['erased', 'erased', 'kept'],
    'reviews.decider': ['erased', 'erased', 'kept'],
    'unmaskings.requester': ['erased', 'erased', 'kept'],
  },
  // Of the entries, which are stored next to them.
  [hashesOfOutputs]: { 'auditLog.hash': ['renewed', 'unlinked', 'kept'] },
  'personas / audit': { 'auditLog.reason': ['renewed', 'renewed', 'kept'] },
  'personas / pending removals': {
    'serverMetadata pendingRemovals': ['renewed', 'erased', 'kept'],
    'serverMetadata settledRemovals': ['renewed', 'erased', 'kept'],
  },
  'personas / read marks': { 'registers.content': ['renewed', 'erased', 'erased'] },
  'personas / preferences': { 'registers.content': ['renewed', 'erased', 'erased'] },
  'personas / prepared': { 'registers.content': ['renewed', 'erased', 'erased'] },
  'question votes': {
    'questionVotes.voter': ['renewed', 'erased', 'erased'],
    'privateQuestions.askerId': ['erased', 'erased', 'erased'],
  },
  suspensions: { 'suspensions.content': ['renewed', 'erased', 'kept'] },
  'push subscriptions': { 'sessions.push': ['erased', 'erased', 'kept'] },
  'account addresses': { 'accounts.addressKey': ['renewed', 'erased', 'kept'] },
  'account contents': { 'accounts.content': ['renewed', 'erased', 'kept'] },
  sessions: { 'sessions.content': ['erased', 'erased', 'kept'] },
  'digest order': { 'serverMetadata digestProgress': ['erased', 'erased', 'kept'] },
  mails: { 'outgoingMails.content': ['erased', 'erased', 'kept'] },
  mailboxes: { 'accounts.mailboxKey': ['renewed', 'erased', 'kept'] },
  'blocked address ids': { 'blockedAddresses.mailbox': ['erased', 'erased', 'kept'] },
  'blocked address contents': { 'blockedAddresses.content': ['erased', 'erased', 'kept'] },
  'hall codes': { 'presenterLinks.token': ['erased', 'erased', 'erased'] },
  'sign-on hashes': { 'accounts.signOnKey': ['erased', 'erased', 'kept'] },
};

/** The fates by key and column. A merge, a restart and a restored backup keep all outputs. */
export const storedOutputs: ReadonlyMap<string, Fates> = new Map(
  Object.entries(rows).flatMap(([key, columns]) =>
    Object.entries(columns).map(([column, [newKey, lostKey, linksRemoved]]) => [
      `${key}: ${column}`,
      { newKey, lostKey, linksRemoved },
    ]),
  ),
);

/** Where the outputs of the other keys are. */
export const keysWithoutStoredOutputs: Readonly<Record<string, string>> = {
  'read mark ids': 'found the rows of version 0.3.0, for their migration',
  'read mark positions': 'opens the rows of version 0.3.0, for their migration',
  'preference ids': 'found the rows of version 0.3.0, for their migration',
  'preference contents': 'opens the rows of version 0.3.0, for their migration',
  cookies: 'signs cookies of sessions, which end with a new key',
  accounts: 'names what a browser stores for an account; a new key orphans it',
  'personas / change events':
    'encrypts the classes in events between several nodes, which name no account',
  'personas / roles': 'names granted roles in replies, which are read again',
  browsers: 'signs the cookie of a known browser, which is then unknown',
  'suspended ids':
    'names accounts and mailboxes in encrypted suspensions, which a new key rewrites',
  'push topics': 'names classes to push services',
  vapid: 'derives the next one',
  'vapid / vapid': 'signs requests to push services, whose subscriptions end with a new key',
  'digest links': 'seals links in mails, which are then invalid',
  'sign-up links': 'seals links in mails, which are then invalid',
  'reset links': 'seals links in mails, which are then invalid',
  times: 'opens what 0.3.0 stored',
  'account use': 'opens what 0.3.0 stored',
  passwords: 'opens what 0.3.0 stored',
  'notification settings': 'opens what 0.3.0 stored',
  launches:
    'seals cookies and links of launches, which are then invalid, and the keys for platforms, which a new key deletes',
  'second factor': 'seals cookies of challenges and proofs, which are then invalid',
  'sign-on seals': 'seals cookies and links of a sign-in at the provider, which are then invalid',
  'bus channels': 'names channels between nodes, which keep nothing',
  'bus messages': 'encrypts messages between nodes, which keep nothing',
  'bus addresses': 'names networks and mailboxes in limits, which are in memory',
  backups: 'encrypted the accounts in backups of 0.3.0, which need it when they are restored',
  'daily counts': 'decides how numbers are rounded',
};
