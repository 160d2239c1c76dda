// Values that are stored as JSON, most of them encrypted, have the names of their fields inside. A new name in the code would
// lose what an earlier version stored, and no type checker sees it.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The fields of each stored type. A field may be added; a stored one is never renamed. */
const storedFields: Readonly<Record<string, string>> = {
  AccountContent:
    'createdDay email emailVerified language lastUse passwordHash sessionGroup settings',
  AnswerMark: 'answerId endorsed messageId type',
  BlockContent: 'day reason',
  DataCopyLink: 'accountId state validFrom',
  DraftMention: 'at label memberId',
  LinkContent: 'accountId expiresAt state',
  OfflineRoom: 'account classId epoch keptAt',
  OutsideReportContent: 'contactAddress decidedBy decision language place reason reportedDay what',
  OutboxEntry:
    'classId createdAt deletes edited failure icon id mark pictures poll question replyTo staffId text topicId',
  OutboxPicture: 'alt bytes id imageId refusal size spoiler',
  PendingAnswer: 'course returnPlace',
  PendingPreferences: 'owner preferences',
  PendingRemoval: 'classId deletedId dueAt isCounted leaverId memberId own',
  PollVote: 'choices endorsed messageId type',
  PendingSignUp: 'email movesFrom passwordHash',
  Progress: 'day place',
  QuestionVote: 'endorsed messageId type voted',
  QueuedMail: 'attempts deliver digestOf expiresAt isDelayedByOutage isUrgent',
  RecentChanges: 'added removedIds settledVersion',
  SessionContent: 'accountId createdDay device endDay',
  SettledRemovals: 'removals version',
  StagedFile: 'account alternative bytes id savedAt',
  StartedSignOn: 'again nonce redirectUri state verifier',
  StorableRoom: 'preferences replica sanction staff votedIds',
  StoredFactor: 'codeHashes passkeys',
  StoredPasskey: 'addedDay counter credentialId name passkeyId publicKey',
  StoredEvidence: 'createdAt edits images options text',
  StoredPoll: 'options resultsAfter several',
  StoredSettings: 'digest',
  SuspensionContent: 'day holder liftedAt reason staffName until',
  ToolKey: 'createdDay jwk',
};

const sources = globSync('src/{server,web}/**/*.ts')
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => readFileSync(file, 'utf8'));

function listFields(type: string): string {
  const declaration = new RegExp(
    String.raw`^(?:export )?interface ${type}\b[^{]*\{\n(.*?)^\}`,
    'ms',
  );
  const body = sources.map((source) => declaration.exec(source)?.[1]).find(Boolean) ?? '';
  const fields = [...body.matchAll(/^ {2}(?:readonly )?(\w+)\??:/gm)].map(([, field]) => field!);
  return fields.toSorted().join(' ');
}

test.each(Object.entries(storedFields))(
  'the stored fields of %s keep their names [UPGRADE-1]',
  (type, fields) => {
    expect(listFields(type)).toBe(fields);
  },
);

test('every interface that is decrypted from JSON is listed [UPGRADE-1]', () => {
  const decrypted = sources.flatMap((source) =>
    [
      ...source.matchAll(/(?:JSON\.parse\(\s*unseal|openRecord)\([^;]*?\) as (?:Partial<)?(\w+)/gs),
    ].map(([, type]) => type!),
  );
  expect(decrypted.length).toBeGreaterThan(5);

  const interfaces = decrypted.filter((type) => listFields(type) !== '');
  expect(interfaces.filter((type) => !(type in storedFields))).toEqual([]);
});
