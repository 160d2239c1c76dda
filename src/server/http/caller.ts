// Who makes a call.
export interface Account {
  id: string;
  email: string;
  /** The id of the session that authenticates the request. */
  sessionId: string;
  expiresAt: Date;
}
