/**
 * Limits that the server and the browser share, each with its rule in SPEC.md. Lengths are UTF-16 code
 * units, like `maxLength`.
 */
export const limits = {
  messageText: 4000, // SEND-4
  classField: 120, // CREATE-14
  classCode: 16, // CREATE-14
  email: 254, // AUTH-26
  /** Concurrent sessions of an account. */
  sessions: 50, // AUTH-59
  personaName: 30, // PERSONA-12
  /** Icons that each member of a class can choose from. */
  personaIcons: 200, // PERSONA-16
  passwordMin: 8, // AUTH-8
  passwordMax: 128, // AUTH-8
  searchQuery: 512, // SEARCH-11
  searchQueryMin: 3, // SEARCH-12
  searchHitsPerPage: 10, // SEARCH-14
  snapshotMessages: 50, // CHAT-12
  historyPage: 100, // CHAT-12
  /** Bytes of one page of history over HTTP. A single message may exceed it. */
  historyPageBytes: 64 * 1024, // CHAT-12
  /** Bytes of one frame of history, replay or snapshot. A single message may exceed it. */
  historyFrameBytes: 20 * 1024, // WIRE-15
  classesPerSocket: 64, // WIRE-5
  /** Bytes of one frame from the browser. */
  frameBytes: 32 * 1024, // WIRE-3
  /** Bytes of one HTTP request body. */
  bodyBytes: 64 * 1024, // HTTP-8
  /** Bytes of a picture file. */
  imageBytes: 10 * 1024 * 1024, // SEND-5
  /** Pixels of one frame. */
  imagePixels: 40_000_000, // SEND-5
  imageFrames: 300, // PIC-7
  /** Pixels of all frames of an animation together. */
  animationPixels: 40_000_000, // PIC-7
  altText: 500, // PIC-12
} as const;

/** Below this window width in px, the app shows one pane at a time. */
export const narrowWidth = 768; // LAYOUT-2
/** Milliseconds from the last keystroke to the search. */
export const searchDebounceMs = 500; // SEARCH-10
/** Milliseconds after which the app says that a search is slow. */
export const searchStalledMs = 200; // SEARCH-15
