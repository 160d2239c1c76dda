/** Plain text only: nothing in it loads anything. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Resolves when the mail server, or the folder, has taken the mail. */
export type SendMail = (mail: Mail) => Promise<void>;

export interface MailTransport {
  send: SendMail;
  /** Connects and signs in to the mail server, and sends nothing. @throws why that fails */
  check(): Promise<void>;
  /** No more clearing up; what is being sent goes on. */
  stop(): void;
}
