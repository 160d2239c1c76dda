// What the thief finds in the present tables. It goes table by table, and nothing may be added: each test also fails if it no longer
// finds a leak of this list.

/** Columns that hold what `findSecrets` looks for. */
export const openSecrets = [
  // Until registers replace them.
  'enrollments.accountId: account id',
  'roles.accountId: account id',
].toSorted();

/** Columns with a value that occurs in two classes. */
export const openRepetitions = [
  // Until registers replace them.
  'enrollments.accountId',
  'roles.accountId',
];
/** Acts that write the other side of the database, and the table. */
export const openSides = [
  // Until each class drops its entries at its own time.
  'deleteAccount: enrollments',
  'deleteFoundAccount: enrollments',
];

/** Columns whose values have several sizes. */
export const openSizes: string[] = [];
