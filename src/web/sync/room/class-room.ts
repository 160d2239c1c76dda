// One class in this browser: its log, the member in it (sanction, staff persona, preferences), what they write, and the
// room that React renders of all that.
import { defaultClassSettings } from '#contract/class-settings.ts';
import type { Message, Sanction, StaffSelf } from '#contract/entities.ts';
import type { CurrentQuietTime } from '#contract/quiet-times.ts';
import type { LogItem, ServerFrame } from '#contract/socket.ts';
import { getText } from '#web/get-text.ts';
import type { HistoryPage, HistoryQuery, LogReplica } from '#web/sync/engine/log-replica.ts';
import type { OutboxSender } from '#web/sync/outbox/outbox-sender.ts';
import type { Outbox } from '#web/sync/outbox/outbox.ts';
import type { PictureCalls } from '#web/sync/uploads/browser-pictures.ts';
import type { PictureUploads } from '#web/sync/uploads/picture-uploads.ts';
import { OwnMarkStore, toOwnVotes } from './own-marks.ts';
import { createPendingReactions } from './pending-reactions.ts';
import { createOwnPreferences, type OwnPreferences } from './own-preferences.ts';
import { createRoomActions } from './room-actions.ts';
import type { Requests } from '#web/sync/engine/requests.ts';
import { ClassLog, topicCode, type LogDependencies } from './class-log.ts';
import { createTypingIndicator, createTypingNotifier } from './ephemeral-events.ts';
import { createOwnSanction, type OwnSanction } from './own-sanction.ts';
import { createQuietClock, type QuietClock } from './quiet-clock.ts';
import { isUnread, toRoomView } from './room-view.ts';
import {
  isOwnPersona,
  type OwnChoices,
  type OwnVote,
  type RestorableRoom,
  type Room,
  type RoomView,
  type StorableRoom,
} from './room.ts';
import { IconChoice } from './icon-choice.ts';
import { createSpeakerChoice, type SpeakerChoice } from './speaker.ts';
import { TopicChoice } from './topic-choice.ts';
import type { StagedFiles } from '#web/sync/uploads/staged-files.ts';
import { Staging } from '#web/sync/uploads/staging.ts';
import { createListeners, createStore, type WritableStore } from '#web/store.ts';
import type { TabStorage } from '#web/sync/engine/tab-storage.ts';
import { createUnsentQuotes, type UnsentQuotes } from '#web/sync/outbox/unsent-quotes.ts';

type RoomFrame = Extract<
  ServerFrame,
  {
    type:
      | 'snapshot'
      | 'events'
      | 'live'
      | 'unread'
      | 'activity'
      | 'read'
      | 'preferences'
      | 'voted'
      | 'chosen'
      | 'typing'
      | 'privateChanged';
  }
>;

const noPersonas: RoomView['personas'] = new Map();

/** The server has published a vote after this time, unless it is very busy (QUEST-7). */
const votesPublishedMs = 2 * 60_000;

export interface RoomDependencies extends LogDependencies {
  outbox: Outbox;
  sender: OutboxSender;
  uploads: PictureUploads;
  pictures: PictureCalls;
  stagedFiles: StagedFiles;
  tabStorage: TabStorage;
  sharedStorage: TabStorage;
  requests: Pick<Requests, 'send'>;
  /** The time of the server, in milliseconds since 1970. */
  serverNow(): number;
  /** A quiet time of all classes, while operators keep the site read-only. */
  maintenance(): CurrentQuietTime | null;
  onShown(isShown: boolean): void;
  /** The replica has a gap, or the unread count is unknown: the server must be asked. */
  onStale(): void;
  /** Class data outside the log may be stale. */
  onClassChanged(): void;
  onViewChange(): void;
}

export class ClassRoom implements RestorableRoom {
  readonly room: Room;
  readonly #classId: string;
  readonly #outbox: Outbox;
  readonly #sender: OutboxSender;
  readonly #uploads: PictureUploads;
  readonly #onViewChange: RoomDependencies['onViewChange'];
  readonly #isVisible: () => boolean;
  readonly #log: ClassLog;
  readonly #quotes: UnsentQuotes;
  readonly #reactions = createPendingReactions();
  readonly #marks = new OwnMarkStore();
  readonly #preferences: OwnPreferences;
  readonly #sanction: OwnSanction;
  readonly #quietClock: QuietClock;
  readonly #maintenance: RoomDependencies['maintenance'];
  readonly #speaker: SpeakerChoice;
  readonly #icon: IconChoice;
  readonly #topicChoice: TopicChoice;
  readonly #staging: Staging;
  readonly #typing = createTypingIndicator(() => this.refreshView());
  readonly #imageLeftListeners = createListeners();
  readonly #privateListeners = createListeners();
  /** The hidden messages whose content the member asked for. */
  readonly #revealed = new Set<string>();
  readonly #view: WritableStore<RoomView>;
  #countTimer: ReturnType<typeof setTimeout> | undefined;
  #staff: StaffSelf | null = null;
  /** The membership ended, or the class was deleted. */
  #isClosed = false;

  constructor(classId: string, dependencies: RoomDependencies) {
    const { outbox, sender, uploads, pictures, stagedFiles, tabStorage, now } = dependencies;
    const { onStale, onClassChanged, onViewChange } = dependencies;
    this.#classId = classId;
    this.#outbox = outbox;
    this.#sender = sender;
    this.#uploads = uploads;
    this.#onViewChange = onViewChange;
    this.#isVisible = () => dependencies.isVisible();
    this.#speaker = createSpeakerChoice(classId, tabStorage, () => this.#staff?.maySpeak === true);
    this.#icon = new IconChoice(classId, dependencies.sharedStorage);
    this.#topicChoice = new TopicChoice(classId, tabStorage, dependencies.sharedStorage);
    const logDependencies: RoomDependencies = {
      ...dependencies,
      readHistory: (_, query) => this.#fetchPage(dependencies.readHistory, query),
    };
    this.#log = new ClassLog(classId, logDependencies, {
      onNewLog: () => this.#reactions.clear(),
      onSettingsChanged: () => sender.endPause(classId),
      onChange: () => this.refreshView(),
      onStale,
      onClassChanged,
    });
    this.#log.onMessageChanged(({ kind }) => {
      if (kind !== 'resumed' && kind !== 'unknown') return;
      this.#marks.forgetChoices();
      this.refreshView();
    });
    this.#quotes = createUnsentQuotes(() => this.#log.replica());
    this.#sanction = createOwnSanction(now, (isRemoved, wasRemoved) => {
      if (isRemoved) this.#clear();
      else if (wasRemoved) this.#isClosed = false;
      this.refreshView();
    });
    this.#maintenance = dependencies.maintenance;
    this.#quietClock = createQuietClock(dependencies.serverNow, () => this.refreshView());
    this.#preferences = createOwnPreferences((isCountStale) => {
      if (isCountStale && this.#log.position.counts()) onStale();
      this.refreshView();
    });
    this.#staging = new Staging(classId, {
      calls: pictures,
      uploads,
      files: stagedFiles,
      refusal: () => this.#findPictureRefusal(),
      isStaff: () => this.#speaker.getSnapshot() === 'staff',
    });
    this.#view = createStore(this.#toView(null));
    this.room = this.#createRoom(dependencies);
  }

  replica(): LogReplica | null {
    return this.#log.replica();
  }

  isGone(): boolean {
    return this.#isClosed && this.#log.replica() === null;
  }

  isBehind(): boolean {
    return this.#log.isBehind();
  }

  toStorable(): StorableRoom | null {
    const replica = this.#log.replica();
    if (!replica || this.#log.keptAt() !== null) return null;
    return {
      replica,
      preferences: this.#preferences.saved(),
      sanction: this.#sanction.current(),
      staff: this.#staff,
      votedIds: this.#marks.votedIds(),
    };
  }

  restore(keptRoom: StorableRoom, keptAt: number): void {
    if (this.#log.replica() || this.#isClosed) return;
    this.#preferences.receive(keptRoom.preferences);
    const votes = (keptRoom.votedIds ?? []).map((messageId) => ({ messageId, voted: true }));
    this.#marks.receiveList(votes, new Map());
    // A room that an earlier version kept lacks newer settings.
    const settings = { ...defaultClassSettings, ...keptRoom.replica.settings };
    this.#log.restore({ ...keptRoom.replica, settings }, keptAt);
    this.setStaff(keptRoom.staff);
    this.#sanction.set(keptRoom.sanction);
  }

  receive(frame: RoomFrame): void {
    switch (frame.type) {
      case 'snapshot':
        this.#sanction.set(frame.me.sanction);
        return this.#log.onSnapshot(frame);
      case 'events': {
        const previousReplica = this.#log.replica();
        const items = this.#log.onEvents(frame);
        if (items.some((item) => this.#isPostOfOthers(item))) this.#typing.hide();
        this.#countOwnVotes(items, previousReplica);
        this.#appearByReaction(items);
        const code = topicCode.getSnapshot();
        if (previousReplica && code?.keepUnread(items, previousReplica, this.#topicChoice)) {
          this.refreshView();
        }
        return;
      }
      case 'live':
        this.#preferences.onSubscribed();
        this.#log.onLive(frame);
        this.#sanction.set(frame.sanction);
        return this.setStaff(frame.staff ?? null);
      case 'unread':
        this.#preferences.onSubscribed();
        return this.#log.onUnread(frame);
      case 'activity':
        return this.#log.onActivity(frame);
      case 'read':
        return this.#log.position.onReadElsewhere(frame.seq);
      case 'preferences':
        return this.#preferences.onFrame(frame);
      case 'voted':
      case 'chosen':
        return this.onVoted(frame);
      case 'typing':
        return this.#typing.show();
      case 'privateChanged':
        return this.#privateListeners.notify();
    }
  }

  /** The server has this vote of the viewer, or no longer has it. */
  onVoted(vote: OwnVote | OwnChoices): void {
    if ('choices' in vote) this.#marks.receiveChoices(vote);
    else this.#marks.receiveChange(vote);
    this.refreshView();
    clearTimeout(this.#countTimer);
    // If someone else takes a vote back meanwhile, the published number does not change.
    this.#countTimer = setTimeout(() => {
      this.#marks.onPublished(null);
      this.refreshView();
    }, votesPublishedMs);
  }

  /** Reads a page of history, and takes over the viewer's votes in it. */
  async #fetchPage(
    readHistory: RoomDependencies['readHistory'],
    query: HistoryQuery,
  ): Promise<HistoryPage> {
    const votesBefore = this.room.getSnapshot().marks.votes;
    const page = await readHistory(this.#classId, query);
    const questions = page.messages.filter(({ question }) => question);
    if (page.voted) this.room.receiveVotes(toOwnVotes(questions, page.voted), votesBefore);
    return page;
  }

  /** A request for the class's log is being sent. */
  onSubscribe(): void {
    this.#preferences.onSubscribe();
    this.#log.position.onSubscribe();
  }

  onDisconnect(): void {
    this.#log.onDisconnect();
  }

  /** A moderator decided about the member. Null: a sanction was lifted. */
  setSanction(sanction: Sanction | null): void {
    this.#sanction.set(sanction);
  }

  /** The viewer's staff persona changed. */
  setStaff(staff: StaffSelf | null): void {
    this.#staff = staff;
    if (staff) this.#log.addPersona(staff.persona);
    this.refreshView();
  }

  /** The membership ended: clears everything of the class. Unsent messages stay if the member has not left it. */
  close(hasLeft: boolean): void {
    this.#clear();
    this.#staff = null;
    this.#speaker.set(null);
    this.#icon.forget();
    this.#topicChoice.forget();
    this.#preferences.clear();
    this.#sanction.clear();
    this.#staging.discardLocally();
    // The server rejects the others, so they fail and keep their text.
    if (hasLeft) {
      this.#outbox.remove(this.#outbox.listClassEntries(this.#classId).map(({ id }) => id));
    }
    this.refreshView();
  }

  /** The membership resumed. */
  reopen(): void {
    const wasGone = this.isGone();
    this.#isClosed = false;
    if (wasGone) this.refreshView();
  }

  /** Call when the outbox or the progress of an upload changed. */
  refreshView(): void {
    const replica = this.#log.replica();
    if (replica) {
      // A message that is in the log is not pending, even if another tab sent it.
      this.#sender.removeDelivered(this.#classId, replica);
      this.#reactions.removeConfirmed(replica.seq);
      if (replica.hasAppeared) this.#icon.forget();
    }
    this.#quietClock.set((replica?.settings ?? defaultClassSettings).quietTimes);
    this.#staging.refreshProgress();
    this.#view.set(this.#toView(this.#view.getSnapshot()));
    this.#onViewChange();
  }

  /** A message is deleted, but the server could not delete its files yet. */
  onImageLeft(): void {
    this.#imageLeftListeners.notify();
  }

  /** Call when the tab becomes visible again. */
  onVisible(): void {
    if (this.#topicChoice.refresh()) this.refreshView();
    if (this.#log.topic()) this.#markSeen();
    this.#log.position.onVisible();
    this.#sanction.refresh();
    this.#quietClock.refresh();
  }

  /** The time of the server has become known. */
  onServerTime(): void {
    this.#quietClock.refresh();
  }

  /** Call when the tab is hidden or closes. */
  onHide(): void {
    this.#log.position.onHide();
  }

  /** The same account has signed in again. */
  resume(): void {
    this.#staging.resume();
  }

  stop(): void {
    this.#sanction.stop();
    this.#quietClock.stop();
    this.#typing.hide();
    this.#log.position.stop();
    clearTimeout(this.#countTimer);
  }

  /** React passes its functions as values, so none of them is a method that depends on `this`. */
  #createRoom(dependencies: RoomDependencies): Room {
    const { send, now, serverNow, onShown } = dependencies;
    const { position, onMessageChanged } = this.#log;
    const pages = this.#log.pageActions;
    const actions = createRoomActions(this.#classId, {
      ...dependencies,
      staging: this.#staging,
      speaker: this.#speaker,
      findNewcomerIcon: () => this.#findNewcomerIcon(),
      quotes: this.#quotes,
      reactions: this.#reactions,
      staff: () => this.#staff,
      findTopic: (replyTo) => this.#findTopicOfNext(replyTo),
      showNewest: (topicId) => {
        // Whoever writes sees the message.
        if (this.#log.topic() && this.#log.topic()?.topicId !== topicId) this.#log.showTopic(null);
        pages.showNewest();
      },
      refreshView: () => this.refreshView(),
    });
    return {
      ...this.#view,
      ...pages,
      ...position,
      ...actions,
      markSeen: () => this.#markSeen(),
      markUnreadFrom: (id) => {
        const replica = this.#log.replica();
        const message = replica?.messages.find((other) => other.id === id);
        if (replica && message?.topicId) {
          this.#topicChoice.setPlace(message.topicId, message.seq - 1, replica);
        }
        position.markUnreadFrom(id);
      },
      markRead: () => {
        // The first call opens the room. A later one is the member's.
        const visit = this.#topicChoice.visit();
        if (visit) this.#topicChoice.setVisit({ ...visit, afterSeq: visit.toSeq });
        if (this.#log.topic()) this.#markSeen();
        else {
          this.#startVisit();
          position.markRead();
        }
        this.refreshView();
      },
      showTopic: (topicId) => this.#log.showTopic(topicId),
      chooseTopic: (topicId) => {
        this.#topicChoice.choose(topicId);
        this.refreshView();
      },
      preferences: this.#preferences,
      staging: this.#staging,
      serverNow,
      onMessageChanged,
      onImageLeft: this.#imageLeftListeners.add,
      onPrivateChanged: this.#privateListeners.add,
      notifyTyping: createTypingNotifier(this.#classId, send, now),
      addPersona: (persona) => this.#log.addPersona(persona),
      chooseIcon: (icon) => {
        this.#icon.choose(icon);
        this.refreshView();
      },
      receiveVotes: (votes, votesBefore) => {
        if (this.#isClosed) return;
        this.#marks.receiveList(votes, votesBefore);
        this.refreshView();
      },
      reveal: (id, isRevealed) => {
        if (isRevealed) this.#revealed.add(id);
        else this.#revealed.delete(id);
        this.refreshView();
      },
      show: () => {
        onShown(true);
        return () => {
          this.#topicChoice.setVisit(null);
          onShown(false);
        };
      },
    };
  }

  #findNewcomerIcon(): number | undefined {
    const replica = this.#log.replica();
    return replica ? this.#icon.findNumber(replica) : undefined;
  }

  /** The log does not say with which icon a persona appears that reacts first. */
  #appearByReaction(items: readonly LogItem[]): void {
    const replica = this.#log.replica();
    const hasReacted = (item: LogItem) => item.kind === 'reacted' && item.memberId === replica?.me;
    if (replica && items.some(hasReacted)) this.#log.appear(this.#icon.applyTo(replica));
  }

  #toView(previousView: RoomView | null): RoomView {
    const replica = this.#log.replica();
    const content = {
      classId: this.#classId,
      replica,
      topic: this.#log.topic(),
      topicChoice: this.#topicChoice,
      personas: replica ? this.#icon.applyTo(replica) : noPersonas,
      outbox: this.#outbox,
      sender: this.#sender,
      uploads: this.#uploads,
      quotes: this.#quotes,
      reactions: this.#reactions,
      marks: this.#marks,
      preferences: this.#preferences.getSnapshot(),
      revealed: this.#revealed,
    };
    const state = {
      ...this.#log.pages().state(),
      gone: this.isGone(),
      typing: this.#typing.isVisible(),
      counted: this.#log.position.counts(),
      sanction: this.#sanction.current(),
      quietTime: this.#maintenance() ?? this.#quietClock.current(),
      staff: this.#staff,
      speaker: this.#speaker.getSnapshot(),
      isIconChosen: this.#icon.isChosen(),
      keptAt: this.#log.keptAt(),
      lastActivityAt: this.#log.lastActivityAt(),
      isNewestKnown: this.#log.isNewestKnown(),
    };
    return toRoomView(content, state, previousView);
  }

  /** A reply has the topic of its source. */
  #findTopicOfNext(replyTo: string | null): string | undefined {
    const { messages, newest, nextTopicId } = this.#view.getSnapshot();
    if (replyTo === null) return nextTopicId ?? undefined;
    return [...messages, ...newest].find(({ id }) => id === replyTo)?.topicId;
  }

  /**
   * Marks what is on screen as read: everything, or the topic on its own. A member who has read all that is unread, topic by topic,
   * has read everything.
   */
  #markSeen(): void {
    const topic = this.#log.topic();
    const replica = this.#log.replica();
    const { markSeen } = this.#log.position;
    if (!topic || !replica) {
      this.#startVisit();
      return markSeen();
    }
    const newestSeq = replica.messages.at(-1)?.seq ?? 0;
    const place = this.#topicChoice.getPlace(topic.topicId, replica.epoch);
    if (!this.#isVisible() || newestSeq <= place) return;
    const { epoch, messages, readSeq, from, hasOlder } = replica;
    this.#topicChoice.setPlace(topic.topicId, newestSeq, replica);
    const isHeld = !hasOlder || from <= readSeq + 1;
    const viewer = { me: replica.me, staff: this.#staff };
    const preferences = this.#preferences.getSnapshot();
    const isRead = (message: Message) =>
      message.seq <= readSeq ||
      message.seq <= this.#topicChoice.getPlace(message.topicId ?? '', epoch) ||
      !isUnread(message, viewer, preferences);
    if (isHeld && messages.every(isRead)) markSeen();
    this.refreshView();
  }

  #startVisit(): void {
    const replica = this.#log.replica();
    if (replica) this.#topicChoice.startVisit(replica);
  }

  /** Finds the reason why no picture can be added now. */
  #findPictureRefusal(): string | null {
    if (this.#log.replica()?.settings.picturesOff) return getText('error.PICTURES_OFF');
    return this.#speaker.getSnapshot() === 'unset' ? getText('sync.picture.noName') : null;
  }

  /** A published number that changed has the viewer's vote. An answer that is marked changes no number. */
  #countOwnVotes(items: readonly LogItem[], previousReplica: LogReplica | null): void {
    const questions = items.filter((item) => item.kind === 'question');
    if (questions.length === 0) return;
    const messages = [
      ...(previousReplica?.messages ?? []),
      ...(previousReplica?.window?.messages ?? []),
    ];
    const countedQuestions = questions.filter(({ messageId, question }) => {
      const previousMessage = messages.find(({ id }) => id === messageId);
      return previousMessage?.question?.votes !== question.votes;
    });
    this.#marks.onPublished(new Set(countedQuestions.map(({ messageId }) => messageId)));
    this.refreshView();
  }

  /** Most likely its author is the member who was typing. */
  #isPostOfOthers(item: LogItem): boolean {
    const me = this.#log.replica()?.me ?? null;
    const viewer = { me, staff: this.#staff };
    return item.kind === 'posted' && !isOwnPersona(viewer, item.message.memberId);
  }

  /** Forgets what the class says. What the member wrote stays. */
  #clear(): void {
    this.#isClosed = true;
    this.#log.clear();
    this.#quotes.clear();
    this.#revealed.clear();
    this.#reactions.clear();
    this.#marks.clear();
    clearTimeout(this.#countTimer);
    this.#typing.hide();
  }
}
