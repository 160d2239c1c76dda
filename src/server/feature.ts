// What a feature gets from the server, and what it takes part in. app.ts connects them.
import type { Hono } from 'hono';
import type { Class } from '#contract/entities.ts';
import type { LogItem } from '#contract/socket.ts';
import type { ConnectedAccounts } from './accounts/connect-accounts.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { CheckIdentity } from './accounts/identity-check.ts';
import type { ServerCore } from './accounts/server-core.ts';
import type { ConnectedChat } from './chat/connect-chat.ts';
import type { CallLimits } from './http/call-limits.ts';
import type { Authenticator, Route } from './http/route.ts';
import type { Hub } from './live/hub.ts';
import type { MailTransport } from './mail/mail-transport.ts';
import type { Nodes } from './nodes/open-nodes.ts';
import type { ConnectedPictures } from './pictures/connect-pictures.ts';
import type { ChangeEvent } from './store/change-events-queries.ts';
import type { Commits } from './store/commit-queue.ts';
import type { Effect, UnitOfWork } from './store/changes.ts';
import type { Reader } from './store/site.ts';

/** How an account is deleted. */
export interface AccountRemoval {
  /** Keeps the messages and personas, without any link to the account. */
  keepMessages: boolean;
  /** If false in the commit of the deletion, the account stays. */
  isDue?(reader: Reader): Promise<boolean>;
  /** The removals from the classes are spread over this time. */
  removalWindowMs?: number;
  /**
   * Called in the commit of the deletion. If it fails, the account stays.
   *
   * @param staffName the name in the audit log of who deletes it
   */
  onDeleted?(unitOfWork: UnitOfWork, staffName: string): Promise<void>;
}

/**
 * Deletes an account, with the mails to it that wait.
 *
 * @param commits of the queue of accounts
 */
export type RemoveAccount = (
  commits: Commits,
  account: { id: string; email: string; sessionId?: string },
  removal: AccountRemoval,
) => Promise<void>;

/** What exists before the features. A feature names what it takes: `Pick<Server, 'db' | 'hub'>`. */
export interface Server extends ServerCore, ConnectedChat, ConnectedPictures {
  /** The built web app, or null to serve only the API. */
  webDir: string | null;
  nodes: Nodes | null;
  hub: Hub;
  transport: MailTransport;
  accounts: ConnectedAccounts;
  checkIdentity: CheckIdentity;
  removeAccount: RemoveAccount;
  callers: Authenticator;
  callLimits: CallLimits;
  /** Who may read files: a suspended account may not. */
  viewers: Pick<Accounts, 'authenticate'>;
}

/** What a feature takes part in. Nothing here is part of a commit: that is the chat's (decision 94). */
export interface Feature {
  /** Registers its calls, and its paths that are no call of the contract. */
  routes?(route: Route, app: Hono): void;

  /** Before the server listens, and when no one can tell what changed: reads again what it keeps in memory. */
  load?(): unknown;
  /** No one can tell what changed. It forgets what it has cached. */
  clearCaches?(): void;
  /** Another part of the server, another node or a command stored this change event. */
  onChange?(event: ChangeEvent): Promise<void>;

  // These follow a commit of this server, in the order of the commits. They do not wait.
  /** @param classes the classes that the commit changed, as they are now; null for one that is gone */
  onClassesChanged?(classes: ReadonlyMap<string, Class | null>): void;
  /** @param items those that the commit appended to the log of the class */
  onLogAppended?(classId: string, items: readonly LogItem[]): void;
  onSessionEnded?(sessionId: string): void;
  /** Something of the message is to be published at a random moment: see the effect. */
  onUnpublished?(classId: string, messageId: string): void;
  onPrivateQuestions?(changed: Extract<Effect, { kind: 'privateQuestions' }>): void;
  onAnswerMarked?(answered: Extract<Effect, { kind: 'answered' }>): void;

  /** Starts its work in the background, when everything is loaded. @returns what stops it, besides `stop` */
  start?(): (() => unknown) | void;
  /** All features stop together. */
  stop?(): unknown;
}
