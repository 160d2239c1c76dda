// What the thief finds in the present tables. It goes table by table, and nothing may be added: each test also fails if it no longer
// finds a leak of this list.

/** Columns that hold what `findSecrets` looks for. */
export const openSecrets = [
  // Until accounts and sessions are sealed.
  'accounts.email: address',
  'credentials.accountId: account id',
  'credentials.userId: account id',
  'sessions.device: device',
  'sessions.userId: account id',
  'verifications.value: account id',
  // Until registers replace them.
  'roles.accountId: account id',
].toSorted();

/** Columns with a value that occurs in two classes. */
export const openRepetitions: string[] = [];
/** Acts that write the other side of the database, and the table. */
export const openSides = [
  // Until a link is a sealed token.
  'requestPasswordReset: verifications',
];

/** Columns whose values have several sizes. */
export const openSizes = [
  // Until accounts are sealed.
  'accounts.email',
];
