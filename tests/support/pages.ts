// Open pages of the people of a scene, with the browser's own client, and what they show.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RoomView } from '#web/sync/room/room.ts';
import type { ChangeScene } from '#tests/calls/changes.ts';
import { openDevice, type Device } from './open-device.ts';
import type { TestClient } from './test-client.ts';

interface Page {
  device: Device;
  isSignedOut: boolean;
}

/** The pages by the name of their reader. */
export type Pages = Record<string, Page>;

export type Shown = Record<string, unknown>;

const toReaders = ({ ada, adaElsewhere, ben }: ChangeScene) => ({ ada, adaElsewhere, ben });

export function openPages(
  scene: ChangeScene,
  readers: readonly string[] = Object.keys(toReaders(scene)),
): Pages {
  const open = Object.entries(toReaders(scene)).filter(([reader]) => readers.includes(reader));
  return Object.fromEntries(
    open.map(([reader, person]) => [reader, openPage(person, scene.classId)]),
  );
}

function openPage(person: TestClient, classId: string): Page {
  const device = openDevice(person);
  const page = { device, isSignedOut: false };
  device.live.onSignedOut(() => (page.isSignedOut = true));
  device.live.room(classId);
  return page;
}

export function closePages(pages: Pages): void {
  for (const { device } of Object.values(pages)) device.live.close();
}

/** Waits until each page shows the class, or that it cannot. */
export async function settlePages(pages: Pages, classId: string): Promise<void> {
  for (const page of Object.values(pages)) {
    const { live } = page.device;
    for (let tries = 0; tries < 500 && !page.isSignedOut; tries++) {
      const { state } = live.room(classId).getSnapshot();
      const isOnline = live.connection.getSnapshot() === 'online';
      if (state === 'gone' || (state === 'ready' && isOnline)) break;
      await sleep(10);
    }
  }
}

/** Waits for all that was sent, then does what the list of classes does when the page comes into view. */
export async function updatePages(pages: Pages, scene: ChangeScene): Promise<void> {
  await Promise.all(Object.values(pages).map(({ device }) => device.flush()));
  for (const [reader, person] of Object.entries(toReaders(scene))) {
    const list = pages[reader] && (await person.call('listClasses', {}).catch(() => null));
    if (list) pages[reader]?.device.live.follow(list.classes.map(({ classId }) => classId));
  }
  await settlePages(pages, scene.classId);
}

export function showPages(pages: Pages, classId: string): Shown {
  const entries = Object.entries(pages).map(([reader, page]) => [
    `page of ${reader}`,
    show(page, classId),
  ]);
  return Object.fromEntries(entries) as Shown;
}

/** The content of a page, except what depends on when it was opened. */
function show({ device: { live }, isSignedOut }: Page, classId: string): Shown {
  if (isSignedOut) return { state: 'signed out' };
  const view: RoomView = live.room(classId).getSnapshot();
  const { state, messages, me, staff, sanction, settings, preferences, personas } = view;
  if (state === 'gone') return { state, sanction };
  const authors = new Set([me, ...messages.map(({ memberId }) => memberId)]);
  const authorPersonas = [...personas.values()].filter(({ memberId }) => authors.has(memberId));
  const announcements = live.announcements.getSnapshot()[classId] ?? [];
  return {
    state,
    messages,
    me,
    staff,
    sanction,
    settings,
    preferences,
    announcements: announcements.map(({ announcementId, text }) => ({ announcementId, text })),
    personas: authorPersonas.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1)),
  };
}
