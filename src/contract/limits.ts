// Limits and other fixed values that the server and the browser share.

/** Each with its rule in spec/. Lengths are UTF-16 code units, like `maxLength`. */
export const limits = {
  messageText: 4000, // SEND-4
  classField: 120, // CREATE-14
  classCode: 16, // CREATE-14
  /** Seconds between two messages of a member. */
  slowMode: 3600, // CSET-1
  /** A class's description, and its rules. */
  classText: 2000, // CSET-1
  pins: 10, // CSET-1
  /** Quiet times of a class. */
  quietTimes: 10, // CSET-29
  quietSentence: 120, // CSET-29
  /** Topics of a class, with those that are archived. */
  topics: 50, // TOPIC-1
  topicName: 40, // TOPIC-1
  email: 254, // AUTH-26
  /** Such as zh-Hans. */
  languageTag: 12, // LAYOUT-128
  /** Concurrent sessions of an account. */
  sessions: 50, // AUTH-59
  personaName: 30, // PERSONA-12
  /** The name of a moderator or operator. */
  staffName: 60, // MOD-2
  /** Icons that each member of a class can choose from. */
  personaIcons: 200, // PERSONA-16
  /** Passkeys of an account. */
  passkeys: 5, // FACTOR-4
  passkeyName: 40, // FACTOR-4
  passwordMin: 8, // AUTH-8
  passwordMax: 128, // AUTH-8
  /** Characters of a quoted message that come with the reply. */
  quoteText: 200, // CHAT-30
  /** Members that one message can mention. */
  mentions: 20, // MENTION-3
  searchQuery: 512, // SEARCH-11
  searchQueryMin: 3, // SEARCH-11
  searchHitsPerPage: 10, // SEARCH-11
  snapshotMessages: 50, // CHAT-12
  historyPage: 100, // CHAT-12
  /** Bytes of one page of history over HTTP. A single message may exceed it. */
  historyPageBytes: 64 * 1024, // CHAT-12
  /** Bytes of one frame of history, replay or snapshot. A single message may exceed it. */
  historyFrameBytes: 20 * 1024, // WIRE-15
  /** Unread messages of a class are counted up to this number. */
  maxUnreadCount: 50, // LIST-10
  membersPage: 500, // PERSONA-17
  /** Members whom one member can ignore in a class. */
  ignoredMembers: 100, // SELF-5
  /** Messages that one member can hide in a class. */
  hiddenMessages: 500, // SELF-6
  /** Characters of the URL of a push subscription. */
  pushEndpoint: 800, // PUSH-3
  /** Days that notifications can be snoozed. */
  snoozeDays: 30, // PUSH-10
  messageQuery: 200, // FIND-2
  /** Classes on a page of /admin/classes. */
  listedClasses: 50, // ADMIN-21
  /** Classes that one call ends or reopens. */
  classBatch: 20, // ADMIN-24
  /** Lines that one call imports. */
  importBatch: 60, // ADMIN-26
  announcementText: 500, // ADMIN-35
  /** The maximum for everyone, and for each class. */
  announcementsInForce: 5, // ADMIN-35
  /** Days until the end of an announcement. */
  announcementDays: 366, // ADMIN-35
  /** Announcements on /admin/announcements. */
  listedAnnouncements: 200, // ADMIN-36
  /** Questions that one call lists. */
  listedQuestions: 200, // QUEST-10
  /** Bytes of the questions that one call lists. A single question may exceed it. */
  listedQuestionsBytes: 256 * 1024, // QUEST-10, LECT-8, LECT-3, LECT-12
  /** The longest lecture. */
  lectureHours: 4, // LECT-1
  /** Polls and questions that one member of staff has prepared in a class. */
  preparedItems: 20, // LECT-25
  /** Presenter links of a lecture. */
  presenterLinks: 10, // LECT-6
  hallCodeDigits: 6, // LECT-24
  /** Letters and digits that lead to a class from the screen of its hall. */
  classLetters: 4, // LECT-28
  /** For how long a code opens the screen of the hall. */
  hallCodeMinutes: 10, // LECT-24
  /** Questions of one member that wait for release, or came back. */
  ownWaitingQuestions: 5, // LECT-13
  /** Questions that wait for release in a class. */
  waitingQuestions: 200, // LECT-13
  /** Questions that only staff see: of one member that are not done, and all of one member with those withdrawn. */
  openPrivateQuestions: 3, // PRIV-3
  ownPrivateQuestions: 50, // PRIV-3
  /** Questions of a class that only staff see and that are not done. */
  privateQuestions: 200, // PRIV-3
  /** Texts of both sides in one of them. */
  privateTurns: 20, // PRIV-3
  /** Questions on the screen of the hall. */
  presentedQuestions: 50, // LECT-8
  messageHits: 50, // FIND-6
  messageHitsDefault: 20, // FIND-6
  /** Marked parts of one hit. */
  marksPerHit: 100, // FIND-7
  classesPerSocket: 64, // WIRE-5
  classesPerAccount: 200, // HTTP-51
  /** Members who can react to one message. */
  messageReactions: 500, // LOG-81
  /** Bytes of one frame from the browser. */
  frameBytes: 32 * 1024, // WIRE-3
  /** Code points of the text of a report. */
  reportText: 500, // MOD-5
  /** A report from outside, and where it says that something is. */
  outsideReport: 2000, // OUT-1
  outsidePlace: 200, // OUT-1
  /** Reports from outside that wait, and that are decided, on the page of operators. */
  listedOutsideReports: 50, // OUT-5
  /** Code points of the reason of a decision. */
  decisionReason: 500, // MOD-14
  /** Code points of the reason of a request to unmask, at least. */
  unmaskingReasonMin: 20, // UNMASK-3
  /** Code points of an appeal. */
  appealText: 1000, // APPEAL-2
  casesPage: 50, // MOD-12
  /** Texts of an edited message that its case keeps in addition to the first. */
  evidenceEdits: 20, // MOD-9
  /** Reports of one case that moderators see. */
  reportsOfCase: 100, // MOD-12
  auditPage: 100, // MOD-25
  /** Bytes of one HTTP request body. */
  bodyBytes: 64 * 1024, // HTTP-8
  /** Bytes of a picture file. */
  imageBytes: 10 * 1024 * 1024, // SEND-5
  /** Pixels of one frame. */
  imagePixels: 40_000_000, // SEND-5
  imageFrames: 300, // PIC-6
  /** Pixels of all frames of an animation together. */
  animationPixels: 40_000_000, // PIC-6
  altText: 500, // PIC-73
  /** Pictures of one message. */
  messageImages: 10, // PIC-64
  /** Bytes of a PDF file. */
  pdfBytes: 10 * 1024 * 1024, // PDF-2
  pdfPages: 200, // PDF-2
  /** Bytes of the PDF that the server makes from it. */
  pdfCopyBytes: 30 * 1024 * 1024, // PDF-8
} as const;

/** The limits of polls, apart because the browser needs them only when a poll is on screen. */
export const pollLimits = {
  options: 8, // POLL-1
  optionsMin: 2, // POLL-1
  /** Characters of an option. */
  option: 100, // POLL-1
  /** Minutes until a poll closes. */
  minutes: 31 * 24 * 60, // POLL-4
  /** Open polls of a class. */
  openPolls: 20, // POLL-13
  /** Open polls of one persona in a class. */
  ownOpenPolls: 5, // POLL-13
  /** Members who must have voted before anyone sees a count. */
  voters: 5, // POLL-5
} as const;

/** Pictures and PDFs that one account can load at the same time. */
export const downloadsAtOnce = 100; // LIMIT-27

/** Below this window width in px, the app shows one pane at a time. */
export const narrowWidth = 768; // LAYOUT-2
/** Milliseconds from the last keystroke to the search. */
export const searchDebounceMs = 500; // SEARCH-10
/** Milliseconds after which the app says that a search is slow. */
export const searchStalledMs = 200; // SEARCH-10

/**
 * The form in which a password is hashed and checked. Keyboards and programs write one letter with different characters: `ä`
 * composed or decomposed, `ａ` full-width or not.
 */
export const normalizePassword = (password: string) => password.normalize('NFKC'); // AUTH-72

/** Applies to new passwords only, not to passwords that are typed to sign in. */
export function hasPasswordLength(password: string): boolean {
  const { length } = normalizePassword(password);
  return length >= limits.passwordMin && length <= limits.passwordMax;
}

/** The step of each number: larger than what one person does between two counts. */
export const overviewSteps = {
  bytes: 128 * 1024 * 1024,
  sockets: 10,
  messages: 100,
  signUps: 10,
  warnings: 10,
} as const; // ADMIN-18
