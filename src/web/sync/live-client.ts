// The /live client: connects its dependencies and routes each frame to its handler. React uses it through the
// interfaces in room.ts.
import { closeCodes } from '#contract/socket-address.ts';
import type { Sanction } from '#contract/entities.ts';
import type { CurrentQuietTime } from '#contract/quiet-times.ts';
import type { ServerFrame } from '#contract/socket.ts';
import { ClassRoom } from './room/class-room.ts';
import {
  createBrowserDependencies,
  type LiveDependencies,
  type Page,
} from './live-dependencies.ts';
import { type ConnectionStatus, createConnectionStatus } from './engine/connection-status.ts';
import { LiveSocket } from './engine/live-socket.ts';
import { OutboxSender } from './outbox/outbox-sender.ts';
import type { OutboxEntry } from './outbox/outbox-storage.ts';
import { isMessageEntry, Outbox } from './outbox/outbox.ts';
import { PictureUploads } from './uploads/picture-uploads.ts';
import { createStagedFiles, type StagedFiles } from './uploads/staged-files.ts';
import { createRequests, type Requests } from './engine/requests.ts';
import type {
  Announcements,
  LiveClient,
  OfflineAccess,
  Room,
  RoomPreferences,
  RoomView,
  Unread,
} from './room/room.ts';
import { createListeners, createStore, type Store } from '#web/store.ts';
import {
  createSubscriptions,
  type Subscriptions,
  type WantedClass,
} from './engine/subscriptions.ts';
import { createWantedClasses } from './engine/wanted-classes.ts';

export class SocketLiveClient implements LiveClient {
  readonly connection: ConnectionStatus;
  readonly announcements = createStore<Announcements>({});
  readonly offline: OfflineAccess;
  readonly #dependencies: LiveDependencies;
  readonly #page: Page;
  readonly #socket: LiveSocket;
  readonly #requests: Requests;
  readonly #subscriptions: Subscriptions;
  readonly #outbox: Outbox;
  readonly #sender: OutboxSender;
  readonly #uploads: PictureUploads;
  readonly #stagedFiles: StagedFiles;
  readonly #classes = createWantedClasses();
  readonly #rooms = new Map<string, ClassRoom>();
  readonly #openedIds = new Set<string>();
  readonly #enrollmentListeners = createListeners<[classId: string, joined: boolean]>();
  readonly #classListeners = createListeners();
  readonly #moderationListeners = createListeners();
  readonly #signedOutListeners = createListeners();
  readonly #closeListeners = createListeners();
  readonly #roomListeners = createListeners<[classId: string]>();
  readonly onEnrollment = this.#enrollmentListeners.add;
  readonly onClassChanged = this.#classListeners.add;
  readonly onModerationChanged = this.#moderationListeners.add;
  readonly onSignedOut = this.#signedOutListeners.add;
  readonly onClose = this.#closeListeners.add;
  readonly #unsubscribers: readonly (() => void)[];
  #account: string | null = null;
  /** How far the server's clock is ahead of this browser's. */
  #serverAheadMs = 0;
  /** While operators keep the site read-only, all classes have a quiet time. */
  #maintenance: CurrentQuietTime | null = null;
  /** The class whose chat is on screen, also while the tab is hidden. */
  #shownClassId: string | null = null;
  #isClosed = false;
  /** The session has ended, and the same account may sign in again. */
  #isPaused = false;

  /** Opens the connection. */
  constructor(dependencies: LiveDependencies = createBrowserDependencies()) {
    const { storage, tabs, page, pictures, now } = dependencies;
    this.#dependencies = dependencies;
    this.#page = page;
    this.connection = createConnectionStatus(dependencies.checkSession, () => this.#onSignOut());
    this.#socket = new LiveSocket(dependencies.openSocket, {
      onFrame: (frame) => this.#receive(frame),
      onDown: (welcomed, code) => this.#onDown(welcomed, code),
    });
    this.#requests = createRequests({
      send: (frame) => this.#socket.send(frame),
      reconnect: () => this.#socket.reconnect(),
      onIdle: () => page.isVisible() && this.#checkConnection(),
    });
    this.#outbox = new Outbox({
      storage,
      now,
      onStored: () => {
        tabs.publishOutboxChange();
        this.#sender.send();
      },
      onChange: (classId) => {
        this.#refreshView(classId);
        this.#subscriptions.update();
      },
      onPictureOnlyInThisTab: (id) => this.#uploads.keepLock(id),
      onPictureRemoved: (id) => this.#uploads.cancel(id),
    });
    this.#stagedFiles = createStagedFiles(dependencies);
    this.#uploads = new PictureUploads(pictures, this.#outbox, tabs, (classId) =>
      this.#refreshView(classId),
    );
    this.#sender = new OutboxSender({
      outbox: this.#outbox,
      requests: this.#requests,
      uploads: this.#uploads,
      tabs,
      isVisible: () => page.isVisible(),
      classOnScreen: () => this.#classes.current(),
      onChange: (classId) => this.#refreshView(classId),
      onImageLeft: (classId) => this.#rooms.get(classId)?.onImageLeft(),
      onVoted: (classId, vote) => this.#getRoom(classId).onVoted(vote),
    });
    this.#subscriptions = createSubscriptions({
      requests: this.#requests,
      send: (frame) => this.#socket.send(frame),
      listWantedClasses: () => this.#listWantedClasses(),
      findReplica: (classId) => this.#getRoom(classId).replica(),
      onSubscribe: (classId) => this.#getRoom(classId).onSubscribe(),
      onClosed: (classId) => this.#changeEnrollment(classId, false, false),
      onRemoved: (classId, sanction) => this.#setSanction(classId, sanction),
    });
    this.offline = {
      getRoom: (classId) => this.#getRoom(classId),
      openedIds: this.#openedIds,
      refresh: (classId) => {
        this.#classes.refresh(classId);
        this.#subscriptions.update();
      },
      onChange: this.#roomListeners.add,
    };
    this.#unsubscribers = [
      tabs.onOutboxChange(() => void this.#handleOutboxChangedElsewhere()),
      page.onWake(() => this.#onWake()),
      page.onHide(() => this.#onHide()),
    ];
    this.#socket.connect();
  }

  setAccount(account: string): void {
    if (!this.#isSameAccount(account)) return this.#onSignOut();
    this.#stagedFiles.open(account);
    void this.#outbox.open(account);
  }

  room(classId: string): Room {
    this.#openedIds.add(classId);
    this.#roomListeners.notify(classId);
    if (this.#classes.open(classId)) this.#subscriptions.update();
    return this.#getRoom(classId).room;
  }

  unread(classId: string): Store<Unread> {
    const { room } = this.#getRoom(classId);
    return { subscribe: room.subscribe, getSnapshot: () => room.getSnapshot().unread };
  }

  view(classId: string): Store<RoomView> {
    return this.#getRoom(classId).room;
  }

  markAllRead(classId: string): boolean {
    return this.#getRoom(classId).room.markAllRead();
  }

  preferences(classId: string): RoomPreferences {
    return this.#getRoom(classId).room.preferences;
  }

  follow(classIds: readonly string[]): void {
    this.#classes.follow(classIds);
    this.#reopen(classIds);
  }

  unsentCount(): number {
    return this.#listUnsent().filter(isMessageEntry).length;
  }

  clearUnsent(): Promise<void> {
    return this.#outbox.clear();
  }

  async finishDeletions(classId?: string): Promise<boolean> {
    if (classId !== undefined) {
      this.#sender.sendNow(this.#listWaitingDeletions(classId).map(({ id }) => id));
    }
    await this.#sender.settleDeletions();
    return this.#listWaitingDeletions(classId).length === 0;
  }

  pause(): void {
    if (this.#isClosed || this.#isPaused) return;
    this.#isPaused = true;
    this.#stagedFiles.clear();
    this.#disconnect();
  }

  resume(): void {
    if (!this.#isPaused || this.#isClosed) return;
    this.#isPaused = false;
    for (const room of this.#rooms.values()) room.resume();
    this.#socket.resume();
  }

  close(): void {
    this.#isClosed = true;
    this.#closeListeners.notify();
    for (const unsubscribe of this.#unsubscribers) unsubscribe();
    this.#disconnect();
    for (const room of this.#rooms.values()) room.stop();
  }

  #receive(frame: ServerFrame): void {
    this.#requests.receive(frame);
    switch (frame.type) {
      case 'welcome':
        return this.#onWelcome(frame);
      case 'live':
        if (frame.classId === this.#shownClassId) this.#sendViewing();
        this.#showAnnouncements(frame.classId, frame);
        return this.#rooms.get(frame.classId)?.receive(frame);
      case 'snapshot':
      case 'events':
      case 'typing':
      case 'read':
      case 'unread':
      case 'activity':
      case 'preferences':
      case 'voted':
      case 'chosen':
      case 'privateChanged':
        return this.#rooms.get(frame.classId)?.receive(frame);
      case 'reset':
        return this.#onReset(frame);
      case 'sanction':
        return this.#setSanction(frame.classId, frame.sanction);
      case 'staff':
        return this.#getRoom(frame.classId).setStaff(frame.staff);
      case 'announcements':
        return this.#showAnnouncements(frame.classId, frame);
      case 'moderationChanged':
        return this.#moderationListeners.notify();
      case 'enrolment':
        return this.#changeEnrollment(frame.classId, frame.joined);
      case 'nack':
        // This tab did not know that the class had ended, so its class data is stale.
        if (frame.code === 'CLASS_ENDED') this.#classListeners.notify();
        return;
      case 'ack':
      case 'bye':
        return;
    }
  }

  #onWelcome(frame: ServerFrame & { type: 'welcome' }): void {
    if (!this.#isSameAccount(frame.account)) return this.#onSignOut();
    this.connection.onWelcome();
    this.#setServerTime(frame.serverTime);
    this.#stagedFiles.open(frame.account);
    this.#showAnnouncements(null, frame);
    this.#subscriptions.start(frame.epoch);
    this.#sender.start(frame.account, frame.epoch);
    // The server does not repeat what it told the account's other sockets before this connection.
    this.#classListeners.notify();
    this.#moderationListeners.notify();
  }

  #setServerTime(serverTime: number): void {
    this.#serverAheadMs = serverTime - this.#dependencies.now();
    for (const room of this.#rooms.values()) room.onServerTime();
  }

  #onReset({ classId, reason }: ServerFrame & { type: 'reset' }): void {
    if (reason === 'behind') return this.#subscriptions.resume(classId);
    // If the member left, an enrollment frame for all tabs follows. A deleted class has none.
    if (reason === 'deleted') return this.#changeEnrollment(classId, false, false);
    // A removed member's unsent messages and draft stay, with the reason: see `#setSanction`.
    if (reason !== 'removed') this.#closeRoom(classId, true);
  }

  #onDown(wasWelcomed: boolean, code: number): void {
    this.#onDisconnect();
    if (this.#isClosed || this.#isPaused) return;
    const hasEnded = code === closeCodes.signedOut;
    this.connection.onDown(!wasWelcomed && !hasEnded);
    if (hasEnded) this.#onSignOut();
  }

  #onDisconnect(): void {
    this.#sender.stop();
    this.#subscriptions.stop();
    for (const room of this.#rooms.values()) room.onDisconnect();
    this.#requests.abandonAll();
  }

  #onSignOut(): void {
    if (this.#isClosed || this.#isPaused) return;
    this.pause();
    this.#signedOutListeners.notify();
  }

  #disconnect(): void {
    this.connection.stop();
    this.#socket.close();
    this.#onDisconnect();
    this.#uploads.stop();
  }

  #onWake(): void {
    this.#socket.wake();
    this.#checkConnection();
    this.#sendViewing();
    for (const room of this.#rooms.values()) room.onVisible();
  }

  #onHide(): void {
    this.#sendViewing();
    for (const room of this.#rooms.values()) room.onHide();
  }

  async #handleOutboxChangedElsewhere(): Promise<void> {
    const countBefore = this.#outbox.entries().length;
    await this.#outbox.reload();
    // Another tab delivered a message, so the server is reachable.
    if (this.#outbox.entries().length < countBefore) this.#socket.wake();
    this.#subscriptions.update();
    this.#sender.send();
  }

  /** Sends a request after a quiet period: this is the only way to detect a dead connection. */
  #checkConnection(): void {
    const [first] = this.#listWantedClasses();
    if (first) this.#subscriptions.resume(first.classId);
  }

  #listWantedClasses(): WantedClass[] {
    return this.#classes
      .list(this.#outbox.entries().map(({ classId }) => classId))
      .filter(({ classId }) => !this.#rooms.get(classId)?.isGone());
  }

  /** The class in view needs no notification. */
  #sendViewing(): void {
    if (this.#shownClassId === null) return;
    this.#socket.send({
      type: 'viewing',
      classId: this.#shownClassId,
      inView: this.#page.isVisible(),
    });
  }

  /** Shows announcements until they end by the browser's own clock. */
  #showAnnouncements(
    classId: string | null,
    frame: Pick<ServerFrame & { type: 'live' }, 'announcements'>,
  ): void {
    const shownAnnouncements = frame.announcements?.map((announcement) => ({
      ...announcement,
      endsAt: this.#dependencies.now() + announcement.endsInMs,
    }));
    const { announcements } = this;
    announcements.set({ ...announcements.getSnapshot(), [classId ?? '']: shownAnnouncements });
    if (classId !== null) return;
    const readOnly = shownAnnouncements?.find(({ isMaintenance }) => isMaintenance);
    this.#maintenance = readOnly ? { sentence: readOnly.text, until: readOnly.endsAt } : null;
    for (const room of this.#rooms.values()) room.refreshView();
  }

  /** False if another account has signed in from another tab. Data of the old account must be dropped. */
  #isSameAccount(account: string): boolean {
    this.#account ??= account;
    return this.#account === account;
  }

  #setSanction(classId: string, sanction: Sanction | null): void {
    this.#getRoom(classId).setSanction(sanction);
    this.#subscriptions.update();
  }

  /** @param hasLeft false if the class is gone */
  #changeEnrollment(classId: string, isJoined: boolean, hasLeft = true): void {
    if (isJoined) this.#reopen([classId]);
    else this.#closeRoom(classId, hasLeft);
    this.#enrollmentListeners.notify(classId, isJoined);
  }

  #closeRoom(classId: string, hasLeft: boolean): void {
    this.#getRoom(classId).close(hasLeft);
    this.#subscriptions.update();
  }

  #reopen(classIds: readonly string[]): void {
    for (const classId of classIds) this.#rooms.get(classId)?.reopen();
    this.#subscriptions.update();
  }

  #refreshView(classId: string): void {
    this.#rooms.get(classId)?.refreshView();
  }

  #getRoom(classId: string): ClassRoom {
    const knownRoom = this.#rooms.get(classId);
    if (knownRoom) return knownRoom;
    const { pictures, tabStorage, sharedStorage, readHistory, now, page } = this.#dependencies;
    const room = new ClassRoom(classId, {
      outbox: this.#outbox,
      sender: this.#sender,
      uploads: this.#uploads,
      pictures,
      stagedFiles: this.#stagedFiles,
      tabStorage,
      sharedStorage,
      requests: this.#requests,
      send: (frame) => this.#socket.send(frame),
      readHistory,
      now,
      serverNow: () => now() + this.#serverAheadMs,
      maintenance: () => this.#maintenance,
      isVisible: () => page.isVisible(),
      onShown: (isShown) => this.#onShown(classId, isShown),
      onStale: () => this.#subscriptions.resume(classId),
      onClassChanged: this.#classListeners.notify,
      onViewChange: () => this.#roomListeners.notify(classId),
    });
    this.#rooms.set(classId, room);
    return room;
  }

  #onShown(classId: string, isShown: boolean): void {
    this.#shownClassId = isShown ? classId : null;
    if (isShown) this.#sendViewing();
    else this.#socket.send({ type: 'viewing', classId, inView: false });
  }

  #listUnsent(): OutboxEntry[] {
    return this.#outbox.entries().filter(({ id }) => !this.#sender.isAcknowledged(id));
  }

  /** @param classId all classes if it is missing */
  #listWaitingDeletions(classId?: string): OutboxEntry[] {
    return this.#listUnsent()
      .filter(({ deletes, failure }) => deletes !== undefined && failure === null)
      .filter((entry) => classId === undefined || entry.classId === classId);
  }
}
