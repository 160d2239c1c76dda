import { beforeEach, expect, test, vi } from 'vitest';

const classId = 'class';

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

/** The drafts as a tab has them that has just loaded. All tabs of this test share the storage of one browser tab. */
async function loadTab() {
  vi.resetModules();
  return import('./drafts.ts');
}

/** What the browser does in a tab when another one has changed the storage. */
const reportChange = (key: string) => dispatchEvent(Object.assign(new Event('storage'), { key }));

const mention = { at: 0, label: '@Ann', memberId: 'annannannannann_' };

test('a draft of another tab appears with its mentions, and disappears when that tab has sent it [LIST-60]', async () => {
  const tab = await loadTab();
  expect(tab.loadDraft(classId)).toBe('');
  const otherTab = await loadTab();

  otherTab.saveMentionDraft(classId, { text: '@Ann hi', mentions: [mention] });
  reportChange(`draft:${classId}`);
  expect(tab.loadMentionDraft(classId)).toEqual({ text: '@Ann hi', mentions: [mention] });
  otherTab.saveMentionDraft(classId, { text: '', mentions: [] });
  reportChange(`draft:${classId}`);

  expect(tab.loadMentionDraft(classId)).toEqual({ text: '', mentions: [] });
});

test.each([
  ['was frozen', () => document.dispatchEvent(new Event('resume'))],
  [
    'comes back from the history',
    () => dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })),
  ],
])('a tab that %s has no draft that another one has sent meanwhile [LIST-60]', async (_, wake) => {
  const tab = await loadTab();
  tab.saveDraft(classId, 'Sent already');
  // The tab learns of no change while it stands still.
  localStorage.removeItem(`draft:${classId}`);

  wake();

  expect(tab.loadDraft(classId)).toBe('');
});

test('a tab that opens later has the draft, also after the browser was closed [LIST-60]', async () => {
  const tab = await loadTab();
  tab.saveDraft(classId, 'half a thought');
  sessionStorage.clear();

  expect((await loadTab()).loadDraft(classId)).toBe('half a thought');
});

test('a draft as staff stays in its tab [LIST-60]', async () => {
  const tab = await loadTab();
  tab.saveDraft(classId, 'From ');
  sessionStorage.setItem(`speaker:${classId}`, 'staff');

  tab.saveDraft(classId, 'From your professor');

  expect(localStorage.getItem(`draft:${classId}`)).toBeNull();
  expect((await loadTab()).loadDraft(classId)).toBe('From your professor');
});

test('a draft as staff leaves the draft of another tab alone [LIST-60]', async () => {
  localStorage.setItem(`draft:${classId}`, 'anonymous');
  sessionStorage.setItem(`speaker:${classId}`, 'staff');
  const tab = await loadTab();
  expect(tab.loadDraft(classId)).toBe('');

  tab.saveDraft(classId, 'From your professor');

  expect(localStorage.getItem(`draft:${classId}`)).toBe('anonymous');
});

test('a draft on a shared computer is only in memory, and no update of the app reloads it away [LIST-60, PWA-6]', async () => {
  const drafts = await loadTab();
  const { changeSetting } = await import('./settings.ts');
  const { canReload } = await import('./reload-guard.ts');
  changeSetting('keepMessages', 'off');

  drafts.saveDraft(classId, 'Only here');

  expect(drafts.loadDraft(classId)).toBe('Only here');
  const storedTexts = [localStorage, sessionStorage].flatMap((storage) =>
    Object.keys(storage).map((key) => storage.getItem(key)),
  );
  expect(storedTexts).not.toContain('Only here');
  expect(canReload()).toBe(false);

  drafts.clearDraft(classId);
  expect(canReload()).toBe(true);
});

test('signing out removes the drafts of all classes, also of those that were not open [LIST-60, PROFILE-6]', async () => {
  localStorage.setItem('draft:other', 'of another day');
  const tab = await loadTab();
  tab.saveDraft(classId, 'of today');

  tab.clearAllDrafts();

  expect(localStorage).toHaveLength(0);
  expect(tab.loadDraft(classId)).toBe('');
});

test('what only staff will read is never the draft of the class, even if its mark is lost, and ends with the session [PRIV-51]', async () => {
  const tab = await loadTab();
  const key = tab.toPrivateDraft(classId);
  tab.saveQuestionDraft(key, true);
  tab.saveDraft(key, 'Am I failing?');
  localStorage.removeItem(`draft-question:${key}`);
  localStorage.setItem('seen-answers', '{"q":4}');

  const laterTab = await loadTab();

  expect(laterTab.loadDraft(classId)).toBe('');
  expect(laterTab.loadDraft(key)).toBe('Am I failing?');
  laterTab.clearAllDrafts();
  expect(localStorage).toHaveLength(0);
});

test('the mark of a question stays with its draft, in all tabs, until the draft is cleared [QUEST-50]', async () => {
  const tab = await loadTab();
  const otherTab = await loadTab();
  expect(otherTab.isQuestionDraft(classId)).toBe(false);

  tab.saveQuestionDraft(classId, true);
  tab.saveDraft(classId, 'Why');
  reportChange(`draft-question:${classId}`);
  expect(otherTab.isQuestionDraft(classId)).toBe(true);
  expect((await loadTab()).isQuestionDraft(classId)).toBe(true);

  otherTab.clearDraft(classId);
  reportChange(`draft:${classId}`);
  expect(tab.isQuestionDraft(classId)).toBe(false);
});

test('the mark of a question goes with its draft to staff, and marks no later draft [QUEST-50]', async () => {
  const tab = await loadTab();
  tab.saveDraft(classId, 'When is the exam?');
  tab.saveQuestionDraft(classId, true);
  sessionStorage.setItem(`speaker:${classId}`, 'staff');
  expect(tab.isQuestionDraft(classId)).toBe(true);

  tab.saveDraft(classId, 'When is the next exam?');
  expect((await loadTab()).isQuestionDraft(classId)).toBe(true);
  tab.saveDraft(classId, '');
  tab.saveQuestionDraft(classId, false);
  sessionStorage.removeItem(`speaker:${classId}`);

  expect(tab.isQuestionDraft(classId)).toBe(false);
  expect((await loadTab()).isQuestionDraft(classId)).toBe(false);
});
