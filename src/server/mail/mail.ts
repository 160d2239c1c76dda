/** Plain text only, so that a mail never loads remote content. */
export interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Resolves when the mail server or the folder has taken the mail. */
export type SendMail = (mail: Mail) => Promise<void>;

export interface MailTransport {
  send: SendMail;
  /** Connects and signs in to the mail server, but sends nothing. @throws the reason for a failure */
  check(): Promise<void>;
  /** Stops the cleanup. Sends in progress continue. */
  stop(): void;
}
