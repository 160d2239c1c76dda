/** Every limit that both sides must agree on. Lengths are UTF-16 code units, as `maxLength` counts them. */
export const limits = {
  messageText: 4000,
  classField: 120,
  classCode: 16,
  email: 254,
  passwordMin: 8,
  passwordMax: 128,
  searchQuery: 512,
  searchQueryMin: 3,
  searchHitsPerPage: 10,
  snapshotMessages: 50,
  historyPage: 100,
  classesPerSocket: 64,
  /** Bytes of one frame from the browser. */
  frameBytes: 32 * 1024,
  /** Bytes of one HTTP request body. */
  bodyBytes: 64 * 1024,
} as const;

/** Window width in px below which one pane is shown at a time. */
export const narrowWidth = 768;
/** Milliseconds from the last key to the search. */
export const searchDebounceMs = 500;
/** Milliseconds after which a search without an answer is said to be slow. */
export const searchStalledMs = 200;
