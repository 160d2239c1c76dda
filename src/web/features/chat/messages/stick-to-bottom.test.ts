import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StickToBottom } from './stick-to-bottom.ts';

/** A list of rows in a window of 500 px. The browser never lets it scroll beyond its ends. */
class FakeList {
  rows: number[] = Array.from({ length: 20 }, () => 50);
  clientHeight = 500;
  #top = 0;

  get scrollHeight(): number {
    return Math.max(
      this.clientHeight,
      this.rows.reduce((sum, height) => sum + height, 0),
    );
  }
  get scrollTop(): number {
    this.#top = Math.max(0, Math.min(this.#top, this.scrollHeight - this.clientHeight));
    return this.#top;
  }
  set scrollTop(top: number) {
    this.#top = top;
    this.#top = this.scrollTop;
  }
  get distanceToEnd(): number {
    return this.scrollHeight - this.scrollTop - this.clientHeight;
  }
}

let list: FakeList;
let bottom: StickToBottom;

function open(isFollowing: boolean): void {
  list = new FakeList();
  bottom = new StickToBottom({ current: list as unknown as HTMLElement }, isFollowing);
  bottom.keepAtEnd();
}

/** The member moves the view, and the browser reports it. */
function scrollTo(top: number): void {
  list.scrollTop = top;
  bottom.onScroll();
}

/** A message arrives. */
function append(height: number): void {
  bottom.trackMovement();
  list.rows.push(height);
  bottom.keepAtEnd();
}

/** The virtual list measures what has changed, and then goes on scrolling to the place that it opens at. */
async function resize(change: () => void, target?: number): Promise<void> {
  change();
  bottom.onResize();
  queueMicrotask(() => {
    if (target !== undefined) list.scrollTop = target;
  });
  await Promise.resolve().then(() => Promise.resolve());
}

beforeEach(() => {
  vi.useFakeTimers();
  open(true);
});
afterEach(() => void vi.useRealTimers());

test('a list follows its end if the window becomes higher and lower again in one frame [CHAT-40]', async () => {
  list.clientHeight = 700;
  // The browser moves the view, and reports it after the next change.
  expect(list.scrollTop).toBe(300);
  list.clientHeight = 300;
  bottom.onScroll();
  await resize(() => {});

  expect(list.distanceToEnd).toBe(0);
  expect(bottom.isScrolledUp.getSnapshot()).toBe(false);
});

test('a list follows its end if a row grows or shrinks, the window changes, or a message arrives in the frame in which another one became shorter [CHAT-40]', async () => {
  for (const change of [
    () => (list.rows[19] = 90),
    () => (list.rows[19] = 20),
    () => (list.rows[3] = 200),
    () => (list.rows[3] = 10),
    () => (list.clientHeight = 300),
    () => (list.clientHeight = 600),
    () => list.rows.push(300),
  ]) {
    await resize(change);
    append(70);

    expect(list.distanceToEnd).toBe(0);
    expect(bottom.isScrolledUp.getSnapshot()).toBe(false);
  }
});

test('a list follows its end although the virtual list moves the view up, because rows above it shrink while the last one grows [CHAT-40]', async () => {
  await resize(() => {
    list.rows[3] = 10;
    list.rows[19] = 150;
    list.scrollTop -= 40;
  });
  bottom.onScroll();

  expect(list.distanceToEnd).toBe(0);
  expect(bottom.isFollowing).toBe(true);
});

test('the steps of a slow upward movement add up, and a later message leaves the view where it is [CHAT-8, CHAT-40]', () => {
  for (let step = 1; step <= 4; step++) scrollTo(list.scrollTop - 1);
  append(50);

  expect(list.distanceToEnd).toBe(54);
  expect(bottom.isScrolledUp.getSnapshot()).toBe(true);
});

test('an upward movement lets go also in the frame in which a message arrives [CHAT-40]', () => {
  list.scrollTop -= 30;
  append(50);

  expect(bottom.isFollowing).toBe(false);
  expect(list.distanceToEnd).toBe(80);
});

test('while the browser animates a gesture, a message does not move the view, and a gesture that moves nothing changes nothing [CHAT-8, CHAT-40]', () => {
  bottom.onGesture();
  append(50);
  expect(list.distanceToEnd).toBe(50);

  vi.runAllTimers();
  expect(list.distanceToEnd).toBe(0);

  bottom.onGesture();
  append(50);
  scrollTo(list.scrollTop - 5);
  vi.runAllTimers();
  expect(list.distanceToEnd).toBe(55);
});

test('a downward movement that shows the end follows it again, if the last row is the newest message [CHAT-8]', () => {
  scrollTo(100);
  expect(bottom.isFollowing).toBe(false);
  scrollTo(470);
  expect(bottom.isFollowing).toBe(true);

  bottom.setAtNewest(false);
  scrollTo(500);
  expect(bottom.isFollowing).toBe(false);
});

test('a member who has moved up a little stays there while rows change [CHAT-8]', async () => {
  scrollTo(480);
  // The virtual list keeps the rows in place.
  await resize(() => {
    list.rows[0] = 70;
    list.scrollTop += 20;
  });
  bottom.onScroll();

  expect(bottom.isFollowing).toBe(false);
  expect(list.distanceToEnd).toBe(20);
});

test('a list that opens at a place which shows the end follows the end, and one that opens elsewhere does not [CHAT-8]', async () => {
  for (const { target, isFollowing } of [
    { target: 9000, isFollowing: true },
    { target: 470, isFollowing: true },
    { target: 100, isFollowing: false },
  ]) {
    open(false);
    await resize(() => undefined, target);
    expect(bottom.isFollowing).toBe(isFollowing);

    await resize(() => list.rows.push(300), target);
    expect(list.distanceToEnd).toBe(isFollowing ? 0 : 700);
  }
});

test('a list that opens elsewhere waits for the heights of its rows before it follows its end [CHAT-8, LIST-21]', async () => {
  list.rows = Array.from({ length: 10 }, () => 20);
  bottom.release();
  bottom.keepAtEnd();
  bottom.trackMovement();
  await resize(() => list.rows.fill(200), 0);

  expect(bottom.isFollowing).toBe(false);
  expect(list.scrollTop).toBe(0);
});

test('a window that becomes large enough for all messages follows the end again [CHAT-8]', async () => {
  scrollTo(0);
  await resize(() => (list.clientHeight = 4000));
  expect(bottom.isScrolledUp.getSnapshot()).toBe(false);

  await resize(() => (list.clientHeight = 500));
  expect(list.distanceToEnd).toBe(0);
});
