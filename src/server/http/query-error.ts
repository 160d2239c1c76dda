/** Thrown for a call that Algolia would also reject, with the message format that its clients show. */
export class QueryError extends Error {
  override name = 'QueryError';
  readonly status: 400 | 404;
  constructor(message: string, status: 400 | 404 = 400) {
    super(message);
    this.status = status;
  }
}
