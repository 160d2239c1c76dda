// Accounts and classes are two sides of the database, and no act writes both. The entries of tests/calls list all acts, so that each
// new call and frame is covered.
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#contract/routes.ts';
import { callNames } from '#tests/calls/calls.ts';
import {
  changeNames,
  changeSettings,
  prepareChange,
  setOperators,
  setScene,
  type ChangeName,
  type ChangeScene,
  type Operators,
} from '#tests/calls/changes.ts';
import { frames, frameTypes } from '#tests/calls/frames.ts';
import { createInput, sendInput } from '#tests/calls/make-call.ts';
import { chooseNotifications } from '#tests/support/notifications.ts';
import { publishVotesSoon } from '#tests/support/questions.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { listChangedRows, type ChangedRow } from './changed-rows.ts';
import { waitUntilResealed } from './settled.ts';

publishVotesSoon();
const app = setUpApp({ ...changeSettings, EMAIL_VERIFICATION: 'off' });
let operators: Operators;
beforeAll(async () => {
  await waitUntilResealed(app);
  operators = await setOperators(app);
});

/** Acts of an owner or of an operator on an account. They may write the side of the accounts, and nothing of a class. */
const actsOnAccounts = new Set<ChangeName>([
  'signUp',
  'signIn',
  'signOut',
  'signOutDevice',
  'signOutOtherDevices',
  'changePassword',
  'resetPassword',
  'deleteAccount',
  'saveNotifications',
  'saveDigest',
  'saveLanguage',
  'subscribePush',
  'unsubscribePush',
  'sendResetLink',
  'endAccountSessions',
  'deleteFoundAccount',
  'blockAddress',
  'unblockAddress',
]);

/** Ada has little: a short address and one class. Or she has much. */
async function createActor(hasMuch: boolean): Promise<ChangeScene> {
  const scene = await setScene(operators, hasMuch ? '-with-a-longer-name' : '');
  if (!hasMuch) return scene;
  for (let n = 0; n < 3; n++) await scene.ada.createClass();
  await chooseNotifications(scene.ada, scene.classId, 'all');
  return scene;
}

async function act(name: ChangeName, hasMuch: boolean): Promise<ChangedRow[]> {
  const scene = await createActor(hasMuch);
  const change = await prepareChange(name, scene);
  return watch(scene, change);
}

async function watch({ classId }: ChangeScene, change: () => Promise<unknown>) {
  const tablesBefore = await app.database.tables();
  await change();
  return listChangedRows(tablesBefore, await app.database.tables(), [classId]);
}

const listTables = (rows: readonly ChangedRow[], side: ChangedRow['side']) =>
  new Set(rows.filter((row) => row.side === side).map(({ table }) => table));

const toShape = (rows: readonly ChangedRow[]) =>
  rows.map(({ table, columns }) => `${table}: ${columns}`).toSorted();

describe.each(changeNames)('%s', (name) => {
  const isOnAccount = actsOnAccounts.has(name);
  const title = isOnAccount
    ? `${name} writes no row of a class`
    : `${name} writes no row of an account, and rows of one size for each member`;

  test(`${title} [ANON-6, ANON-20]`, async () => {
    let little = await act(name, false);
    let much = await act(name, true);
    // Something of the class may have been written in the background, or the register of roles has grown to its next step.
    if (!isOnAccount && !isDeepStrictEqual(toShape(much), toShape(little))) {
      little = await act(name, false);
      much = await act(name, true);
    }

    const otherSide = isOnAccount ? 'class' : 'account';
    expect(listTables(little, otherSide)).toEqual(new Set());
    expect(listTables(much, otherSide)).toEqual(new Set());
    if (!isOnAccount) expect(toShape(much)).toEqual(toShape(little));
  });
});

/** What anyone can do who knows an address. */
const actsOfStrangers: Record<string, (ada: TestClient) => Promise<unknown>> = {
  requestPasswordReset: (ada) =>
    ada.newBrowser().call('requestPasswordReset', { body: { email: ada.email } }),
  'a sign-up with her address': (ada) => ada.newBrowser().signUp(),
  'a sign-up with another spelling of her mailbox': ({ origin, name }) =>
    createTestClient(origin, `${name.toUpperCase()}+a@university.edu`).signUp(),
  'failed sign-ins': async (ada) => {
    const browser = ada.newBrowser();
    for (let n = 0; n < 6; n++) {
      await browser.signIn('not the password').catch(() => {});
    }
  },
  'an invalid link': ({ origin }) =>
    createTestClient(origin, 'nobody@university.edu').call('resetPassword', {
      body: { token: 'none', newPassword: 'quite another password' },
    }),
};

test.each(Object.keys(actsOfStrangers))(
  '%s by a stranger writes no row of an owner [ANON-6]',
  async (name) => {
    const scene = await createActor(false);

    const rows = await watch(scene, () => actsOfStrangers[name]!(scene.ada).catch(() => {}));

    expect(listTables(rows, 'account')).toEqual(new Set());
  },
);

test('visits, reads and presence write no row of an account, also not when the server stops [ANON-6, ANON-40]', async () => {
  const scene = await createActor(true);
  const { ada, classId, messageId } = scene;

  const rows = await watch(scene, async () => {
    for (const name of callNames.filter((callName) => routes[callName].method === 'GET')) {
      await sendInput(name, ada, createInput(name, { ...scene, email: ada.email }));
    }
    const socket = await ada.connectTo(classId);
    for (const type of frameTypes.filter((frameType) => frames[frameType].changesNothing)) {
      socket.send(frames[type].frame({ classId, messageId }, 900));
    }
    socket.close();
    await app.restart();
  });

  expect(listTables(rows, 'account')).toEqual(new Set());
});

describe('the comparison', () => {
  test('what an act writes is found on both sides [ANON-3]', async () => {
    expect(listTables(await act('signIn', false), 'account')).toContain('sessions');
    expect(listTables(await act('react', false), 'class')).toContain('reactions');
  });

  test('a row, a column or a size that only one of two members has is found [ANON-3]', () => {
    const toTables = (...notes: (string | null)[]) => ({
      classes: [{ classId: 'c' }],
      notes: notes.map((note, n) => ({ classId: 'c', id: n, note, kind: 'a' })),
    });
    const toChange = (...notes: (string | null)[]) =>
      toShape(listChangedRows(toTables('old'), toTables(...notes), ['c']));

    const changes = [['new'], ['longer'], [null], ['old', 'new'], []].map((notes) =>
      toChange(...notes),
    );

    expect(new Set(changes.map(String)).size).toBe(5);
    expect(toChange('two')).toEqual(changes[0]);
  });
});
