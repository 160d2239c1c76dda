// Who can see each field that leaves the server. The /privacy page is generated from this table. Tests
// compare the table with the schemas of http.ts and socket.ts and with real replies.

/**
 * Each audience sees everything that the audiences before it see, except `you`: the account itself. Moderators see
 * their fields in their own classes. Operators see them in all classes, and also the fields for operators.
 */
export type Audience = 'everybody' | 'signedIn' | 'members' | 'moderators' | 'operators' | 'you';

export interface FieldVisibility {
  audience: Audience;
  /**
   * Completes the sentence 'Your classmates see ...'. Null if the fields say nothing about a person.
   */
  sentenceEnd: string | null;
  /** Field names in replies and frames, frame types ('frame typing'), and calls of which each field is meant. */
  fields: readonly string[];
}

export const fieldVisibilities: readonly FieldVisibility[] = [
  {
    audience: 'members',
    sentenceEnd: 'what you write in the class, and when you wrote or edited it',
    fields: [
      ...['messages', 'text', 'marks', 'createdAt', 'editedAt'],
      ...['frame events', 'frame snapshot', 'frame activity'],
    ],
  },
  {
    audience: 'members',
    sentenceEnd:
      'pictures and PDFs you send (location, camera and author data removed) and your descriptions and titles of them',
    fields: [
      ...['imageUrl', 'storagePath', 'images', 'width', 'height', 'thumbUrl', 'placeholder'],
      ...['animated', 'alt', 'pages', 'pdfUrl'],
    ],
  },
  {
    audience: 'members',
    sentenceEnd: 'which message you reply to, with its beginning',
    fields: ['replyTo', 'quote', 'imageCount', 'pdfCount'],
  },
  { audience: 'members', sentenceEnd: 'your reactions', fields: ['reactions', 'emoji'] },
  {
    audience: 'members',
    sentenceEnd:
      'which of your messages are questions, how many people have each question too, which replies are marked as answers, and which questions were answered in a lecture; not who voted, and not who marked',
    fields: [
      ...['question', 'questions', 'votes', 'answer', 'endorsed', 'done'],
      ...['lectureQuestions', 'answerTexts'],
    ],
  },
  {
    audience: 'everybody',
    sentenceEnd:
      'during a lecture, if they have its presenter link: your questions of this lecture, their numbers of votes, and whether they are answered; not your anonymous name',
    fields: [
      ...['className', 'courseTitle', 'classLetters', 'presentedQuestions'],
      ...['questionKey', 'questionText', 'voteCount', 'answered', 'answeredAloud'],
    ],
  },
  {
    audience: 'everybody',
    sentenceEnd:
      'during a lecture, if they have its presenter link: a poll that you asked as staff and that staff show in the hall, and the counts that a member who has voted sees; not your staff name',
    fields: [
      ...['presentedPoll', 'pollKey', 'pollText', 'pollOptions', 'pollOpen'],
      ...['pollCountsAfter', 'pollCounts', 'pollVoters', 'optionCounts'],
    ],
  },
  {
    audience: 'members',
    sentenceEnd:
      'which of your messages are polls, with their options, when they close, and how often each option was chosen once five people have voted; not who voted',
    fields: [
      ...['poll', 'options', 'several', 'resultsAfter', 'closesAt'],
      ...['result', 'voters', 'counts'],
    ],
  },
  {
    audience: 'members',
    sentenceEnd:
      'your anonymous name and icon in that class, once you have posted, reacted or picked them',
    fields: ['personas', 'persona', 'anonymousName', 'icon'],
  },
  {
    audience: 'members',
    sentenceEnd:
      'if you speak as staff: your staff name with a badge, and nothing that links it to your anonymous name',
    fields: ['staff'],
  },
  {
    audience: 'members',
    sentenceEnd: 'a random ID linking your activity within that class only',
    fields: ['memberId'],
  },
  {
    audience: 'members',
    sentenceEnd: 'that a message of yours was hidden after reports or removed by a moderator',
    fields: ['moderation', 'hidden'],
  },
  {
    audience: 'members',
    sentenceEnd: 'that someone is typing, but not who',
    fields: ['frame typing'],
  },
  {
    audience: 'signedIn',
    sentenceEnd:
      'every class, whether it has ended, and how many people are in it, but no list of who they are',
    fields: [
      ...['class', 'classId', 'objectID', 'name', 'courseName', 'subjectAbbreviation'],
      ...['courseNumber', 'sectionNumber', 'semesterSeason', 'classSchedule'],
      ...['beginClassTime', 'endClassTime', 'memberCount', 'ended', 'continuesIn'],
    ],
  },
  {
    audience: 'signedIn',
    sentenceEnd: 'the description and the rules of every class',
    fields: ['description', 'rules'],
  },
  {
    audience: 'moderators',
    sentenceEnd:
      'reported messages with their earlier versions, until 30 days after the decision, or 180 days without one',
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
    sentenceEnd: 'what was decided about you in their class, but not who you are',
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
    sentenceEnd:
      'that your persona was escalated, and the text of your appeals; only operators see that an account was suspended, but not whose',
    fields: ['reviews', 'reviewId', 'days', 'suspension', 'suspensionId'],
  },
  {
    audience: 'moderators',
    sentenceEnd: 'the reason, the text and the day of your reports, but not who sent them',
    fields: ['reportCount', 'caseCounts', 'open', 'kept', 'removed'],
  },
  {
    audience: 'moderators',
    sentenceEnd:
      'your questions that wait for release in a lecture, with your anonymous name; so do the staff of the class',
    fields: ['waitingQuestions'],
  },
  {
    audience: 'moderators',
    sentenceEnd: null,
    fields: ['forOperators', 'isOwnDecision'],
  },
  {
    audience: 'operators',
    sentenceEnd:
      'that someone has the role of a moderator or speaks as staff in a class, and under which name',
    fields: ['roleId'],
  },
  {
    audience: 'operators',
    sentenceEnd: null,
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
    sentenceEnd: null,
    // Of operators. No one sees which of them wrote an announcement, or when.
    fields: ['announcements', 'announcementId', 'endsInMs', 'frame announcements'],
  },
  { audience: 'operators', sentenceEnd: null, fields: ['announcedAt', 'endsAt', 'phase'] },
  {
    audience: 'operators',
    sentenceEnd: 'that an address is blocked, since which day and why, but not which address it is',
    fields: ['blocks', 'blockId', 'blockedDay'],
  },
  {
    audience: 'operators',
    sentenceEnd:
      'of your account, for an operator who types its whole address: whether it is verified, its day of joining, how it signs in, the kinds of its devices and their days of sign-in; never its classes, personas or messages',
    fields: [
      ...['supported', 'accountAddress', 'verified', 'joiningDay', 'signsInWith'],
      ...['signedInOn', 'deviceName', 'signInDay'],
    ],
  },
  {
    audience: 'operators',
    sentenceEnd:
      'numbers of the whole site that are too coarse to show what one person does: messages and sign-ups per day, open connections, sizes',
    fields: [
      ...['parts', 'part', 'health', 'explanation', 'sizes', 'database', 'pictures', 'free'],
      ...['sockets', 'daily', 'messageTotal', 'signUpTotal', 'warnings', 'event', 'times'],
    ],
  },
  {
    audience: 'operators',
    sentenceEnd:
      'your email address, only while unmasking is switched on (see below), and only after two operators confirmed a request with a legal ground',
    fields: ['address'],
  },
  {
    audience: 'operators',
    sentenceEnd: 'requests to unmask: on which case, why, and which operators',
    fields: [
      ...['requests', 'requestId', 'requestedBy', 'requestedAt', 'expiresAt'],
      ...['own', 'closedBy', 'refusal'],
    ],
  },
  {
    audience: 'everybody',
    sentenceEnd:
      'how often moderators acted, in numbers of whole days, and whether unmasking is switched on',
    fields: ['figures', 'figure', 'recent', 'total', 'through', 'unmasking', 'on', 'since'],
  },
  {
    audience: 'you',
    sentenceEnd: 'what moderators decided about you, why, and until when',
    fields: ['sanction', 'sanctions', 'sanctionId', 'active', 'until', 'frame sanction'],
  },
  {
    audience: 'you',
    sentenceEnd: 'whether your account is suspended, and what became of your appeals',
    fields: ['suspended', 'suspensions', 'appeal', 'appealed'],
  },
  {
    audience: 'you',
    sentenceEnd: 'what became of your reports',
    fields: ['reported', 'helpLine', 'reports', 'state', 'day', 'decisions', 'decisionId'],
  },
  {
    audience: 'you',
    sentenceEnd: null,
    fields: [
      ...['roles', 'role', 'maySpeak', 'staffPersona', 'frame staff'],
      // How much waits for the viewer's decision.
      ...['openCases', 'escalations', 'appeals', 'unmaskings', 'oldestDay'],
    ],
  },
  {
    audience: 'you',
    sentenceEnd: 'the kinds of devices you are signed in on, and the day of each sign-in',
    fields: ['devices', 'deviceId', 'signedInDay', 'current'],
  },
  {
    audience: 'you',
    sentenceEnd: 'your email address',
    fields: ['account', 'email', 'key', 'frame welcome'],
  },
  {
    audience: 'you',
    sentenceEnd: 'which classes you are in, and how far you have read',
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
    sentenceEnd: 'whom you ignore, which messages you hide, and which classes you mute',
    // `hidden` is declared above: a quote has a field of that name, too.
    fields: [
      ...['preferences', 'ignored', 'muted', 'frame preferences'],
      ...['call readPreferences', 'call savePreferences'],
    ],
  },
  {
    audience: 'you',
    sentenceEnd: 'for which questions you voted',
    fields: ['voted', 'votedQuestions', 'frame voted'],
  },
  {
    audience: 'you',
    sentenceEnd: 'which of your questions were not released in a lecture',
    fields: ['ownWaiting', 'returned', 'waits', 'waitingTexts'],
  },
  {
    audience: 'you',
    sentenceEnd: 'the polls and questions that you prepared for a lecture as staff',
    fields: ['preparedItems', 'minutes'],
  },
  {
    audience: 'you',
    sentenceEnd: 'what you voted for in open polls',
    // `choices` is declared below: notifications have a field of that name, too.
    fields: ['pollVotes', 'frame chosen', 'call readPoll'],
  },
  {
    audience: 'you',
    sentenceEnd:
      'which of your devices get notifications, about what, when they are quiet, and whether you get a daily email',
    fields: [
      ...['notified', 'publicKey', 'subscribed', 'notifications', 'choices', 'notify'],
      ...['showText', 'answers', 'quietHours', 'timeZone', 'snoozedUntil'],
      ...['digest', 'digestUnavailable', 'waitingWork'],
    ],
  },
  {
    audience: 'you',
    sentenceEnd: 'what you search for',
    fields: ['query', 'parsedQuery', 'applicationId'],
  },
  {
    audience: 'everybody',
    sentenceEnd: null,
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
      ...['recount', 'classChanged'],
    ],
  },
];

/** Returns the texts for this audience, in order. */
export function listVisibleFields(audience: Audience): string[] {
  return fieldVisibilities
    .filter((visibility) => visibility.audience === audience)
    .flatMap(({ sentenceEnd }) => sentenceEnd ?? []);
}
