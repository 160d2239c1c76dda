import { beforeEach, expect, test } from 'vitest';
import { StickToBottom } from './stick-to-bottom.ts';

/** A list of rows in a window of 500 px. The browser never lets it scroll beyond its ends. */
class FakeList {
  rows: number[] = Array.from({ length: 20 }, () => 50);
  clientHeight = 500;
  #top = 0;
  lastRow = { isConnected: true, getBoundingClientRect: () => this.#edges(this.rows.length - 1) };

  get scrollHeight(): number {
    return this.rows.reduce((sum, height) => sum + height, 0);
  }
  get scrollTop(): number {
    return Math.max(0, Math.min(this.#top, this.scrollHeight - this.clientHeight));
  }
  set scrollTop(top: number) {
    this.#top = top;
    this.#top = this.scrollTop;
  }
  get rest(): number {
    return this.scrollHeight - this.scrollTop - this.clientHeight;
  }
  getBoundingClientRect = () => ({ top: 0, bottom: this.clientHeight });
  querySelector = () => ({ lastElementChild: this.lastRow });

  /** A later message is a row of its own. */
  append(height: number): void {
    const index = this.rows.push(height) - 1;
    this.lastRow = { isConnected: true, getBoundingClientRect: () => this.#edges(index) };
  }

  #edges(index: number) {
    const start = this.rows.slice(0, index).reduce((sum, height) => sum + height, 0);
    const top = start - this.scrollTop;
    return { top, bottom: top + (this.rows[index] ?? 0) };
  }
}

let list: FakeList;
let bottom: StickToBottom;

function open(isFollowing: boolean): void {
  list = new FakeList();
  bottom = new StickToBottom({ current: list as unknown as HTMLElement }, isFollowing);
  bottom.keepAtEnd();
}

beforeEach(() => open(true));

test('a list that is opened at another place follows its end if that place shows it [CHAT-65]', () => {
  open(false);
  expect(bottom.isFollowing).toBe(false);

  list.scrollTop = 9000;
  bottom.onScroll();
  list.append(50);
  bottom.keepAtEnd();

  expect(list.rest).toBe(0);
});

test('a list follows its end if a row grows or shrinks, the window changes, or a message arrives in the frame in which another one became shorter [CHAT-40]', () => {
  for (const change of [
    () => (list.rows[19] = 90),
    () => (list.rows[19] = 20),
    () => (list.rows[3] = 200),
    () => (list.rows[3] = 10),
    () => (list.clientHeight = 300),
    () => (list.clientHeight = 600),
    () => list.append(300),
  ]) {
    change();
    bottom.trackMovement();
    list.append(70);
    bottom.keepAtEnd();
    expect(list.rest).toBe(0);
    expect(bottom.isScrolledUp.getSnapshot()).toBe(false);
  }
});

test('the steps of a slow upward movement add up, and a later message leaves the view where it is [CHAT-8, CHAT-40]', () => {
  for (let step = 1; step <= 4; step++) {
    list.scrollTop -= 1;
    bottom.onScroll();
  }
  list.append(50);
  bottom.keepAtEnd();

  expect(list.rest).toBe(54);
  expect(bottom.isScrolledUp.getSnapshot()).toBe(true);
});

test('an upward movement lets go also in the frame in which a message arrives [CHAT-51]', () => {
  list.append(50);
  list.scrollTop -= 30;
  bottom.keepAtEnd();

  expect(bottom.isFollowing).toBe(false);
  expect(list.rest).toBe(80);
});

test('a downward movement to the end follows it again, if the last row is the newest message [CHAT-8]', () => {
  list.scrollTop = 100;
  bottom.onScroll();
  list.scrollTop = 470;
  bottom.onScroll();
  expect(bottom.isFollowing).toBe(true);

  bottom.setAtNewest(false);
  list.scrollTop = 500;
  bottom.onScroll();
  expect(bottom.isFollowing).toBe(false);
});
