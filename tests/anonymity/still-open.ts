// What the thief finds in the present tables. It goes table by table, and nothing may be added: each test also fails if it no longer
// finds a leak of this list.

/** Columns that hold what `findSecrets` looks for. */
export const openSecrets = [
  // Until registers replace them.
  'roles.accountId: account id',
].toSorted();

/** Columns with a value that occurs in two classes. */
export const openRepetitions: string[] = [];
/** Acts that write the other side of the database, and the table. */
export const openSides: string[] = [];

/** Columns whose values have several sizes. */
export const openSizes: string[] = [];
