import type { Emoji } from '#contract/emojis.ts';
import type { Message, Persona } from '#contract/entities.ts';
import type { OutboxPicture } from './outbox-storage.ts';
import type { Staging } from './staging.ts';

/** A store for `useSyncExternalStore`. */
export interface Store<Snapshot> {
  subscribe(listener: () => void): () => void;
  getSnapshot(): Snapshot;
}

/** `sent`: the message is in the log. `sending`: shown optimistically, not acknowledged yet. */
export interface RoomMessage extends Omit<Message, 'seq'> {
  /** The position in the log, or null until acknowledged. */
  seq: number | null;
  delivery: 'sent' | 'sending' | 'failed';
  /** The error message if the server refused it permanently. */
  failure: string | null;
  /** The viewer's chosen picture, until the log has the message. */
  unsentPicture: OutboxPicture | null;
  /** The uploaded share, from 0 to 1. Null if no upload is in progress. */
  progress: number | null;
  /** The browser had no room to store the picture: it is lost when this tab closes. */
  onlyHere: boolean;
}

/** The state of one class's chat. Every change creates a new object. */
export interface RoomView {
  /** `gone`: the membership ended or the class was deleted. */
  state: 'loading' | 'ready' | 'gone';
  /** Oldest first. Unacknowledged messages come last. */
  messages: readonly RoomMessage[];
  personas: ReadonlyMap<string, Persona>;
  /** The viewer's memberId in this class. */
  me: string | null;
  /** The viewer has read everything up to this seq. */
  readSeq: number;
  /** The unread messages of others that the replica holds. */
  unread: number;
  /** Older messages, which the replica does not hold, may also be unread. */
  hasMoreUnread: boolean;
  /** Another member is typing or has just typed. */
  typing: boolean;
  older: 'none' | 'some' | 'loading' | 'failed';
}

/**
 * `edit`, `remove` and `react` reject with an AppError. They also reject without a connection: they are not
 * queued.
 */
export interface Room extends Store<RoomView> {
  /** The picture for the next message. */
  staging: Omit<Staging, 'take' | 'show' | 'forget'>;
  /** Shows the message immediately and sends it when a connection exists. */
  post(text: string, replyTo?: string): void;
  /** Sends a failed message again under the same id. */
  retry(id: string): void;
  /** Deletes a failed message. */
  discard(id: string): void;
  edit(id: string, text: string): Promise<void>;
  remove(id: string): Promise<Removal>;
  /** Null removes the viewer's reaction. The change is optimistic and reverts if the server refuses it. */
  react(id: string, emoji: Emoji | null): Promise<void>;
  /** Marks the newest message as read if the tab is visible. */
  read(): void;
  /** Call on each key press. The other members are notified at intervals. */
  typing(): void;
  loadOlder(): Promise<void>;
}

export interface Removal {
  /** The message is deleted, but its picture file could not be deleted yet. */
  imageLeft: boolean;
}

/** `blocked`: the server answers over HTTP, but every WebSocket connection fails. */
export type Connection = 'connecting' | 'online' | 'offline' | 'blocked';

/** The `/live` client: one per signed-in tab, for one account. */
export interface Live {
  connection: Store<Connection>;
  /** Sets the account key as soon as it is known. From then on unsent messages are stored. */
  belongsTo(account: string): void;
  /** The room of one class. Returns the same object for the same class. */
  room(classId: string): Room;
  /** The number of unread messages in a class. */
  unread(classId: string): Store<number>;
  /** Whether messages that this browser does not hold may also be unread. */
  hasMoreUnread(classId: string): Store<boolean>;
  /** Subscribes to exactly these classes and those on screen. */
  follow(classIds: readonly string[]): void;
  /** The number of the member's unsent messages in all classes and tabs. */
  unsent(): number;
  /** Deletes them at sign-out. */
  forgetUnsent(): Promise<void>;
  /**
   * Reports when the account joins or leaves a class in any tab or device. All members leave a deleted class.
   */
  onEnrolment(listener: (classId: string, joined: boolean) => void): () => void;
  /** Class data may be stale, for example because a class has ended. */
  onClassChanged(listener: () => void): () => void;
  /** The session ended, or another account is signed in. */
  onSignedOut(listener: () => void): () => void;
  close(): void;
}
