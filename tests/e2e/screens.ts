// Every screen of the app in an example school: for judges of the markup, and for people (npm run screenshots).
import type { Page } from '@playwright/test';
import type { TestClient } from '#tests/support/test-client.ts';
import { demoClasses, demoNames } from '../../scripts/demo/classes.ts';
import { Conversation, type Participant } from '../../scripts/demo/conversation.ts';
import type { Site } from './fixtures.ts';
import { createOperator, endTimeToUndo, grant } from './moderation.ts';
import { findPictures } from './picture-files.ts';
import {
  chooseClassAction,
  findMessage,
  openClassPanel,
  openMenu,
  waitForAnimations,
} from './room.ts';

export interface Screen {
  name: string;
  /** Who sees the screen: null is a signed-out visitor. */
  viewer: TestClient | null;
  path: string;
  /** Opens what the path alone does not show, in a wide window. */
  open?(page: Page): Promise<unknown>;
}

const bannedText = 'Selling the answers of the midterm, write to me';
const threat = 'I know where you live';
/** A message of the demo. */
const otherText = 'I can only come at half past';
const question = 'Is the review session recorded?';

/** Fills the school of the site. The site restarts meanwhile. */
export async function createScreens(site: Site): Promise<Screen[]> {
  const [viewer, seller, bully, moderator, newcomer, ...otherStudents] = await Promise.all(
    Array.from({ length: 9 }, () => site.createStudent()),
  );
  if (!viewer || !seller || !bully || !moderator || !newcomer) throw new Error('No students.');
  const members = [viewer, moderator, seller, bully, ...otherStudents];
  const classIds: string[] = [];
  for (const [n, { fields, messages }] of demoClasses.entries()) {
    const creator = otherStudents[n % otherStudents.length]!;
    const classId = await creator.createClass(fields);
    classIds.push(classId);
    // The viewer is in some classes, and finds the others.
    if (n >= 5) continue;
    const participants = await Promise.all(
      members.map((student, index) => join(student, classId, demoNames[index + n])),
    );
    const conversation = new Conversation(participants.slice(1), messages);
    for (const _ of messages) await conversation.continue();
    for (const { socket } of participants) socket.close();
  }
  const [classId, , , , , otherClassId] = classIds as [string, ...string[]];
  const operator = await createOperator(site);
  await grant(site, moderator, classId, 'Robin');
  await viewer.post(classId, question);
  await reportAndSuspend(site, { classId, viewer, seller, bully, operator });
  await operator.call('announce', {
    body: {
      classId: null,
      text: 'The server restarts on Sunday at six in the morning.',
      endsAt: Date.now() + 86_400_000,
    },
  });

  const room = `/home/${classId}`;
  const signedOut: Screen[] = [
    { name: 'Sign in', viewer: null, path: '/signin' },
    { name: 'Sign up', viewer: null, path: '/signup' },
    { name: 'Reset the password', viewer: null, path: '/reset-password#token=x' },
    { name: 'Verify the address', viewer: null, path: '/verify-email#token=x' },
    { name: 'Unsubscribe', viewer: null, path: '/unsubscribe?token=x' },
    { name: 'Privacy', viewer: null, path: '/privacy' },
    { name: 'Report from outside', viewer: null, path: '/report' },
  ];
  const ofStudents: Screen[] = [
    { name: 'No classes', viewer: newcomer, path: '/home' },
    { name: 'Suspended', viewer: bully, path: '/home' },
    { name: 'Room', viewer, path: room },
    { name: 'Question to join', viewer, path: `/home/${otherClassId}` },
    { name: 'Class details', viewer, path: room, open: (page) => openClassPanel(page, 'Details') },
    { name: 'People', viewer, path: room, open: (page) => openClassPanel(page, 'People') },
    {
      name: 'Pictures and files',
      viewer,
      path: room,
      open: (page) => openClassPanel(page, 'Pictures and files'),
    },
    { name: 'Own reports', viewer, path: room, open: openOwnReports },
    { name: 'Class settings', viewer: moderator, path: room, open: openClassSettings },
    { name: 'Search of messages', viewer, path: room, open: searchMessages },
    { name: 'Questions', viewer, path: room, open: openQuestions },
    { name: 'Picture', viewer, path: room, open: (page) => findPictures(page).last().click() },
    { name: 'Name and icon', viewer, path: room, open: openPersona },
    { name: 'Menu of a message', viewer, path: room, open: (page) => openMenu(page, question) },
    { name: 'Editing', viewer, path: room, open: editMessage },
    { name: 'Report', viewer, path: room, open: openReport },
    { name: 'Emoji', viewer, path: room, open: openEmoji },
    {
      name: 'Class switcher',
      viewer,
      path: room,
      open: (page) => page.keyboard.press('Control+k'),
    },
    {
      name: 'Keyboard shortcuts',
      viewer,
      path: room,
      open: (page) => page.keyboard.press('Control+/'),
    },
    { name: 'Create a class', viewer, path: '/create' },
    { name: 'Search', viewer, path: '/search' },
    { name: 'Search for a name', viewer, path: '/search?q=principles' },
    { name: 'Profile', viewer, path: '/profile' },
    { name: 'Notifications', viewer, path: '/profile/notifications' },
    { name: 'Appearance', viewer, path: '/profile/appearance' },
    { name: 'On this device', viewer, path: '/profile/this-device' },
    { name: 'Devices', viewer, path: '/profile/devices' },
    { name: 'Privacy for members', viewer, path: '/privacy' },
  ];
  const ofStaff: Screen[] = [
    { name: 'Cases', viewer: moderator, path: '/moderation', open: openCase },
    { name: 'Guide', viewer: moderator, path: '/moderation/guide' },
    { name: 'Reports from outside', viewer: operator, path: '/moderation/outside' },
    { name: 'Roles', viewer: operator, path: '/moderation/roles' },
    { name: 'Audit log', viewer: operator, path: '/moderation/audit' },
    { name: 'Overview', viewer: operator, path: '/admin' },
    { name: 'Classes', viewer: operator, path: '/admin/classes' },
    { name: 'Edit a class', viewer: operator, path: '/admin/classes', open: editClass },
    { name: 'Import', viewer: operator, path: '/admin/classes/import' },
    {
      name: 'Accounts',
      viewer: operator,
      path: '/admin/accounts',
      open: (page) => findAccount(page, viewer.email),
    },
    { name: 'Announcements', viewer: operator, path: '/admin/announcements' },
    { name: 'Settings', viewer: operator, path: '/admin/settings' },
  ];
  return [...signedOut, ...ofStudents, ...ofStaff];
}

async function join(
  student: TestClient,
  classId: string,
  anonymousName: string | undefined,
): Promise<Participant> {
  await student.join(classId);
  const body = { anonymousName: anonymousName ?? 'Anonymous' };
  const { persona } = await student.call('changePersona', { params: { classId }, body });
  return { student, socket: await student.connect(), classId, memberId: persona.memberId };
}

interface ReportedClass {
  classId: string;
  viewer: TestClient;
  seller: TestClient;
  bully: TestClient;
  operator: TestClient;
}

/** Leaves one case open, and suspends the account behind another one. */
async function reportAndSuspend(
  site: Site,
  { classId, viewer, seller, bully, operator }: ReportedClass,
): Promise<void> {
  const params = { classId };
  const { id } = await bully.post(classId, threat);
  await viewer.call('reportMember', { params, body: { messageId: id, reason: 'threat' } });
  const [threatCase] = (await operator.call('listCases', { query: {} })).cases;
  const { case: escalated } = await operator.call('decideCase', {
    params: { caseId: threatCase!.caseId },
    body: {
      version: threatCase!.version,
      decision: 'remove',
      reason: 'A threat, twice',
      escalate: true,
    },
  });
  await endTimeToUndo(site);
  const cases = await operator.call('listCases', { query: { state: 'escalated' } });
  const review = cases.cases
    .find(({ caseId }) => caseId === escalated.caseId)!
    .reviews.find(({ state }) => state === 'open')!;
  await operator.call('decideReview', {
    params: { reviewId: review.reviewId },
    body: { version: review.version, decision: 'suspend', days: 7, reason: 'A threat, twice' },
  });
  await endTimeToUndo(site);
  const { id: messageId } = await seller.post(classId, bannedText);
  const body = { messageId, reason: 'spam', text: 'Again and again' } as const;
  await viewer.call('reportMember', { params, body });
}

async function openOwnReports(page: Page): Promise<void> {
  await chooseClassAction(page, 'Your Reports');
}

async function openClassSettings(page: Page): Promise<void> {
  await chooseClassAction(page, 'Class Settings');
}

async function searchMessages(page: Page): Promise<void> {
  await findMessage(page, question).waitFor();
  await page.keyboard.press('Control+f');
  await page.getByRole('search').getByRole('searchbox').fill('the');
  await page.getByRole('list', { name: 'Messages found' }).waitFor();
}

async function openQuestions(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Questions: / }).click();
  await page.getByRole('region', { name: /^Questions in / }).waitFor();
}

async function openPersona(page: Page): Promise<void> {
  await page.getByRole('button', { name: /change your name and icon$/ }).click();
}

async function editMessage(page: Page): Promise<void> {
  await openMenu(page, question);
  await page.getByRole('menuitem', { name: 'Edit' }).click();
}

async function openReport(page: Page): Promise<void> {
  await openMenu(page, otherText);
  await page.getByRole('menuitem', { name: 'Report' }).click();
}

async function openEmoji(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add an emoji' }).click();
  const picker = page.getByRole('dialog', { name: 'Emoji' });
  await picker.getByRole('tabpanel').getByRole('button').first().waitFor();
}

async function openCase(page: Page): Promise<void> {
  await page.getByRole('list', { name: 'Cases' }).getByRole('link').first().click();
  await page.getByRole('form', { name: 'Decision' }).waitFor();
}

async function editClass(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: /^Options of/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: 'Edit fields' }).click();
}

async function findAccount(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.keyboard.press('Enter');
  await page.getByRole('region', { name: email }).waitFor();
}

/** Opens the screen in a wide window without a session. */
export async function openScreen(page: Page, { viewer, path, open }: Screen): Promise<void> {
  await page.context().addCookies(listCookies(viewer));
  await page.goto(path);
  await waitUntilStill(page);
  // Chromium reports no distance for a page's first move, and the app takes that for a mouse at rest.
  await page.mouse.move(1, 1);
  await open?.(page);
  await waitUntilStill(page);
}

/** The session of the client, so that the account has one device on all screens. */
export function listCookies(viewer: TestClient | null) {
  const pairs = viewer?.cookie().matchAll(/([^=; ]+)=([^;]*)/g) ?? [];
  return [...pairs].map(([, name = '', value = '']) => ({
    name,
    value,
    url: viewer?.origin ?? '',
  }));
}

/** Resolves when nothing of the screen loads or moves. */
export async function waitUntilStill(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(() => !document.querySelector('[aria-label="Loading"]'));
  await waitForAnimations(page);
}
