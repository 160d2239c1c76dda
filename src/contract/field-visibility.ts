// Who can see each field that leaves the server. The /privacy page is generated from this table. Tests
// compare the table with the schemas of http.ts and socket.ts and with real replies.

/**
 * Each audience sees everything that the audiences before it see, except `you`: the account itself. Moderators see
 * their fields in their own classes. Operators see them in all classes, and also the fields for operators.
 */
export type Audience = 'everybody' | 'signedIn' | 'members' | 'moderators' | 'operators' | 'you';

export interface FieldVisibility {
  audience: Audience;
  /** What the fields tell about a person. Null if they tell nothing. */
  subject: string | null;
  /** Field names in replies and frames, frame types ('frame typing'), and calls of which each field is meant. */
  fields: readonly string[];
}

const rows = [
  {
    audience: 'members',
    subject: 'messages',
    fields: [
      ...['messages', 'text', 'marks', 'createdAt', 'editedAt'],
      ...['frame events', 'frame snapshot', 'frame activity'],
    ],
  },
  {
    audience: 'members',
    subject: 'pictures',
    fields: [
      ...['imageUrl', 'storagePath', 'images', 'width', 'height', 'thumbUrl', 'placeholder'],
      ...['animated', 'alt', 'pages', 'pdfUrl', 'spoiler'],
    ],
  },
  {
    audience: 'members',
    subject: 'replies',
    fields: ['replyTo', 'quote', 'imageCount', 'pdfCount'],
  },
  {
    audience: 'members',
    subject: 'topics',
    fields: ['topics', 'topic', 'topicId', 'archived', 'movedId'],
  },
  { audience: 'members', subject: 'reactions', fields: ['reactions', 'emoji'] },
  {
    audience: 'members',
    subject: 'questions',
    fields: [
      ...['question', 'questions', 'votes', 'answer', 'endorsed', 'done'],
      ...['lectureQuestions', 'answerTexts'],
    ],
  },
  {
    audience: 'everybody',
    subject: 'presentedQuestions',
    fields: [
      ...['className', 'courseTitle', 'classLetters', 'presentedQuestions'],
      ...['questionKey', 'questionText', 'questionTopic', 'voteCount', 'answered', 'answeredAloud'],
    ],
  },
  {
    audience: 'everybody',
    subject: 'presentedPoll',
    fields: [
      ...['presentedPoll', 'pollKey', 'pollText', 'pollOptions', 'pollOpen'],
      ...['pollCountsAfter', 'pollCounts', 'pollVoters', 'optionCounts'],
    ],
  },
  {
    audience: 'members',
    subject: 'polls',
    fields: [
      ...['poll', 'options', 'several', 'resultsAfter', 'closesAt'],
      ...['result', 'voters', 'counts'],
    ],
  },
  {
    audience: 'members',
    subject: 'persona',
    fields: ['personas', 'persona', 'anonymousName', 'icon'],
  },
  {
    audience: 'members',
    subject: 'staff',
    fields: ['staff'],
  },
  {
    audience: 'members',
    subject: 'memberId',
    fields: ['memberId'],
  },
  {
    audience: 'members',
    subject: 'moderation',
    fields: ['moderation', 'hidden'],
  },
  {
    audience: 'members',
    subject: 'typing',
    fields: ['frame typing'],
  },
  {
    audience: 'signedIn',
    subject: 'class',
    fields: [
      ...['class', 'classId', 'objectID', 'name', 'courseName', 'subjectAbbreviation'],
      ...['courseNumber', 'sectionNumber', 'semesterSeason', 'classSchedule'],
      ...['beginClassTime', 'endClassTime', 'memberCount', 'ended', 'continuesIn'],
    ],
  },
  {
    audience: 'signedIn',
    subject: 'classTexts',
    fields: ['description', 'rules'],
  },
  {
    audience: 'moderators',
    subject: 'cases',
    fields: [
      'cases',
      'case',
      'caseId',
      'shown',
      'evidence',
      'edits',
      'next',
      'frame moderationChanged',
    ],
  },
  {
    audience: 'moderators',
    subject: 'decision',
    fields: [
      'hours',
      'decision',
      'decidedBy',
      'effectiveAt',
      'entries',
      'number',
      'at',
      'staffName',
      'act',
      'hash',
    ],
  },
  {
    audience: 'moderators',
    subject: 'reviews',
    fields: ['reviews', 'reviewId', 'days', 'suspension', 'suspensionId'],
  },
  {
    audience: 'moderators',
    subject: 'reports',
    fields: ['reportCount', 'caseCounts', 'open', 'kept', 'removed'],
  },
  {
    audience: 'moderators',
    subject: 'waitingQuestions',
    fields: ['waitingQuestions'],
  },
  {
    audience: 'moderators',
    subject: 'privateQuestions',
    fields: ['privateQuestions', 'questionId', 'turns', 'turnId', 'turnPersona'],
  },
  {
    audience: 'moderators',
    subject: null,
    fields: ['forOperators', 'isOwnDecision'],
  },
  {
    audience: 'operators',
    subject: 'roles',
    fields: ['roleId'],
  },
  {
    audience: 'operators',
    subject: null,
    fields: [
      'year',
      'restorableUntil',
      ...['reopenableUntil', 'reopenDays', 'endedTerms', 'reopenedTotal'],
      ...['operators', 'isConfigured'],
      'inForce',
      'setting',
      'settingValue',
      'source',
      'terms',
      'activeTotal',
      'endedTotal',
      'remaining',
      'isEnrolling',
      'roleTotal',
      'lines',
      'line',
      'outcome',
      'changes',
      'field',
      'before',
      'after',
    ],
  },
  {
    audience: 'signedIn',
    subject: null,
    // Of operators. No one sees which of them wrote an announcement, or when.
    fields: [
      ...['announcements', 'announcementId', 'endsInMs', 'isMaintenance'],
      'frame announcements',
    ],
  },
  { audience: 'operators', subject: null, fields: ['announcedAt', 'endsAt', 'phase'] },
  {
    audience: 'operators',
    subject: 'blocks',
    fields: ['blocks', 'blockId', 'blockedDay'],
  },
  {
    audience: 'operators',
    subject: 'outsideReports',
    fields: ['outsideReports', 'reportId', 'what', 'place', 'contactAddress', 'reportedDay'],
  },
  {
    audience: 'operators',
    subject: 'account',
    fields: [
      ...['supported', 'accountAddress', 'verified', 'joiningDay', 'signsInWith'],
      ...['signedInOn', 'deviceName', 'signInDay'],
    ],
  },
  {
    audience: 'operators',
    subject: 'figures',
    fields: [
      ...['parts', 'part', 'health', 'explanation', 'sizes', 'database', 'pictures', 'free'],
      ...['sockets', 'daily', 'messageTotal', 'signUpTotal', 'warnings', 'event', 'times'],
    ],
  },
  {
    audience: 'operators',
    subject: 'address',
    fields: ['address'],
  },
  {
    audience: 'operators',
    subject: 'unmasking',
    fields: [
      ...['requests', 'requestId', 'requestedBy', 'requestedAt', 'expiresAt'],
      ...['own', 'closedBy', 'refusal'],
    ],
  },
  {
    audience: 'everybody',
    subject: 'transparency',
    fields: ['figures', 'figure', 'recent', 'total', 'through', 'unmasking', 'on', 'since'],
  },
  {
    audience: 'you',
    subject: 'sanctions',
    fields: [
      ...['sanction', 'sanctions', 'sanctionId', 'active', 'until', 'private', 'frame sanction'],
    ],
  },
  {
    audience: 'you',
    subject: 'suspension',
    fields: ['suspended', 'suspensions', 'appeal', 'appealed'],
  },
  {
    audience: 'you',
    subject: 'ownReports',
    fields: ['reported', 'helpLine', 'reports', 'state', 'day', 'decisions', 'decisionId'],
  },
  {
    audience: 'you',
    subject: null,
    fields: [
      ...['roles', 'role', 'maySpeak', 'staffPersona', 'frame staff'],
      // How much waits for the viewer's decision.
      ...['openCases', 'escalations', 'appeals', 'unmaskings', 'reportsFromOutside', 'oldestDay'],
    ],
  },
  {
    audience: 'you',
    subject: null,
    // The course that the account's own browser opened, and what waits for its confirmation.
    fields: [
      ...[
        'call readCourse',
        'course',
        'courseId',
        'courseLabel',
        'isInstructor',
        'isCopy',
        'grantsStaff',
      ],
      ...['linkedClass', 'staffState', 'picking', 'answerUrl', 'proposals'],
    ],
  },
  {
    audience: 'you',
    subject: 'devices',
    fields: ['devices', 'deviceId', 'signedInDay', 'current'],
  },
  {
    audience: 'you',
    subject: 'passkeys',
    fields: [
      ...['passkeys', 'passkeyId', 'passkeyName', 'addedDay', 'codesLeft', 'recoveryCodes'],
      ...['challenge', 'passkeyHost', 'credentialIds'],
    ],
  },
  {
    audience: 'you',
    subject: 'email',
    fields: ['account', 'email', 'language', 'key', 'frame welcome'],
  },
  {
    audience: 'you',
    subject: 'classes',
    fields: [
      'classes',
      'joined',
      'joinedDay',
      'createdDay',
      'label',
      'me',
      'readSeq',
      'hasAppeared',
      'unread',
      'posted',
      'mentions',
      'frame unread',
      'frame enrolment',
      'frame read',
      'frame reset',
    ],
  },
  {
    audience: 'you',
    subject: 'preferences',
    // `hidden` is declared above: a quote has a field of that name, too.
    fields: [
      ...['preferences', 'ignored', 'muted', 'mutedTopics', 'frame preferences'],
      ...['call readPreferences', 'call savePreferences'],
    ],
  },
  {
    audience: 'you',
    subject: 'votes',
    fields: ['voted', 'votedQuestions', 'frame voted'],
  },
  {
    audience: 'you',
    subject: 'ownWaiting',
    fields: ['ownWaiting', 'returned', 'waits', 'waitingTexts'],
  },
  {
    audience: 'you',
    subject: 'ownPrivate',
    fields: ['ownPrivate', 'hasStaff', 'privateTexts'],
  },
  {
    audience: 'you',
    subject: 'prepared',
    fields: ['preparedItems', 'minutes'],
  },
  {
    audience: 'you',
    subject: 'pollVotes',
    // `choices` is declared below: notifications have a field of that name, too.
    fields: ['pollVotes', 'frame chosen', 'call readPoll'],
  },
  {
    audience: 'you',
    subject: 'notifications',
    fields: [
      ...['notified', 'publicKey', 'subscribed', 'notifications', 'choices', 'notify'],
      ...['showText', 'answers', 'quietHours', 'timeZone', 'snoozedUntil'],
      ...['digest', 'digestUnavailable', 'waitingWork'],
    ],
  },
  {
    audience: 'you',
    subject: 'search',
    fields: ['query', 'parsedQuery', 'applicationId'],
  },
  {
    audience: 'everybody',
    subject: null,
    fields: [
      // The structure of a reply or a frame.
      ...[
        'type',
        'rid',
        'kind',
        'code',
        'message',
        'values',
        'reason',
        'retryAfterMs',
        'verify',
        'providerUrl',
      ],
      ...['frame live', 'frame ack', 'frame nack', 'frame bye', 'maxFrameBytes'],
      // Positions in a log or in a list of hits.
      ...[
        'id',
        'messageId',
        'seq',
        'from',
        'to',
        'lastId',
        'items',
        'epoch',
        'hasOlder',
        'hasNewer',
        'nextBefore',
        'nextAfter',
      ],
      ...['results', 'index', 'hits', 'nbHits', 'page', 'nbPages', 'hitsPerPage'],
      ...['processingTimeMS', 'facets', '_highlightResult', 'value', 'matchLevel', 'matchedWords'],
      // Results of the account's own upload or deletion.
      ...['imageId', 'imageLeft'],
      // What the moderators set for a class. Preferences and cases have a version, too.
      ...['settings', 'version', 'slowModeSeconds', 'readOnly', 'picturesOff', 'pins'],
      ...['quietTimes', 'begins', 'ends', 'zone', 'weekly', 'sentence'],
      // When staff hold a lecture, whether its questions wait for release, and the link and the code that staff make for its screen.
      ...['lecture', 'lectureId', 'firstSeq', 'lastSeq', 'lastsUntil', 'holdsQuestions'],
      ...[
        'pollId',
        'presenterToken',
        'hallCode',
        'hallCodeEndsAt',
        'released',
        'startsAtClassTime',
      ],
      // The server's clock.
      'serverTime',
      // What a browser must ask for again.
      ...['recount', 'classChanged', 'frame privateChanged'],
    ],
  },
] as const satisfies readonly FieldVisibility[];

export const fieldVisibilities: readonly FieldVisibility[] = rows;

export type Subject = NonNullable<(typeof rows)[number]['subject']>;

/** Lists what this audience sees of a person. */
export function listVisibleSubjects(audience: Audience): Subject[] {
  return rows.filter((row) => row.audience === audience).flatMap(({ subject }) => subject ?? []);
}
