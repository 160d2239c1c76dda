import type { Emoji } from '#contract/emojis.ts';
import type { Message, Persona } from '#contract/entities.ts';
import type { OutboxPicture } from './outbox-storage.ts';
import type { Staging } from './staging.ts';

/** What a React component subscribes to with `useSyncExternalStore`. */
export interface Store<Snapshot> {
  subscribe(listener: () => void): () => void;
  getSnapshot(): Snapshot;
}

/** `sent`: the server has it, in its place for good. `sending`: shown at once, not yet acknowledged. */
export interface RoomMessage extends Omit<Message, 'seq'> {
  /** Its place in the log; null until acknowledged. */
  seq: number | null;
  delivery: 'sent' | 'sending' | 'failed';
  /** Why it failed for good, as a sentence. */
  failure: string | null;
  /** Of my own, until the log has it: as it was chosen. */
  unsentPicture: OutboxPicture | null;
  /** The share of it that is on its way, from 0 to 1; null while nothing is uploaded. */
  progress: number | null;
  /** The browser had no room for its picture: it is lost with this tab. */
  onlyHere: boolean;
}

/** Everything that the chat of one class shows. A new object after each change, equal while none. */
export interface RoomView {
  /** `gone`: no longer a member, or the class was deleted. */
  state: 'loading' | 'ready' | 'gone';
  /** Oldest first; those that are not acknowledged come last. */
  messages: readonly RoomMessage[];
  personas: ReadonlyMap<string, Persona>;
  /** My own memberId here. */
  me: string | null;
  /** I have seen everything up to here. */
  readSeq: number;
  /** Messages of others since, as far as they are held. */
  unread: number;
  /** Older ones, which are not held, may be new to me too. */
  hasMoreUnread: boolean;
  /** Somebody else is typing, or was a moment ago. */
  typing: boolean;
  older: 'none' | 'some' | 'loading' | 'failed';
}

/** `edit`, `remove` and `react` reject with a AppError, also without a connection: they do not wait. */
export interface Room extends Store<RoomView> {
  /** The picture for the next message. */
  staging: Omit<Staging, 'take' | 'show' | 'forget'>;
  /** Shows the text and the staged picture at once, and sends them as soon as there is a connection. */
  post(text: string, replyTo?: string): void;
  /** Sends a failed message again, under the same id. */
  retry(id: string): void;
  /** Forgets a failed message. */
  discard(id: string): void;
  edit(id: string, text: string): Promise<void>;
  remove(id: string): Promise<Removal>;
  /** Null takes my reaction away. Shown at once, and taken back when it is refused. */
  react(id: string, emoji: Emoji | null): Promise<void>;
  /** The newest message that is held was seen, if anybody looks at this tab. */
  read(): void;
  /** I am typing: told to the others now and then. */
  typing(): void;
  loadOlder(): Promise<void>;
}

export interface Removal {
  /** The message is gone; its picture's file could not be deleted yet. */
  imageLeft: boolean;
}

/** `blocked`: the server answers over HTTP, but no WebSocket connection to it works. */
export type Connection = 'connecting' | 'online' | 'offline' | 'blocked';

/** The browser's end of `/live`: one per signed-in tab, for one account. */
export interface Live {
  connection: Store<Connection>;
  /** Whose it is, by the account's key, as soon as that is known: what is written is kept from then on. */
  belongsTo(account: string): void;
  /** The room of one class; the same object for the same class. */
  room(classId: string): Room;
  /** How many messages of a class are new to me. */
  unread(classId: string): Store<number>;
  /** Whether there may be more of them that this browser does not hold. */
  hasMoreUnread(classId: string): Store<boolean>;
  /** Follows exactly these classes, besides those that are on screen. */
  follow(classIds: readonly string[]): void;
  /** How many of my messages have not reached the server, in all classes and tabs. */
  unsent(): number;
  /** Forgets them: on signing out. */
  forgetUnsent(): Promise<void>;
  /**
   * Joining or leaving, in this tab or in another tab or device of the same account; a class that
   * was deleted is left by all.
   */
  onEnrolment(listener: (classId: string, joined: boolean) => void): () => void;
  /** What the server says of one of the classes, such as that it has ended, may be another thing by now. */
  onClassChanged(listener: () => void): () => void;
  /** The server ended the session, or it is another account's by now. */
  onSignedOut(listener: () => void): () => void;
  close(): void;
}
