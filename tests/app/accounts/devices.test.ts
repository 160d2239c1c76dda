import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { password, type TestClient } from '#tests/support/test-client.ts';
import { setUpApp } from '#tests/support/set-up-app.ts';
import {
  changeStoredSessions,
  createRecords,
  findStoredAccount,
  listStoredSessions,
} from '#tests/support/stored-accounts.ts';
import { getToday } from '#server/base/days.ts';

const app = setUpApp();

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
const iphone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) Version/18.1 Safari/604.1';

/** Signs the student in from another browser. */
async function signInOn(student: TestClient, userAgent: string): Promise<TestClient> {
  const name = student.name;
  const browser = app.visitor(name, { userAgent });
  await browser.call('signIn', { body: { email: student.email, password } });
  return browser;
}

const today = new Date().toISOString().slice(0, 10);

describe('the devices of an account', () => {
  test('the list of devices has coarse names and days, the current device first [PROFILE-10, AUTH-47]', async () => {
    const ada = await app.createStudent('ada.devices', {
      userAgent: `${firefox} a-mark-of-mine`,
    });
    const phone = await signInOn(ada, iphone);

    const { devices } = await ada.call('listDevices', {});

    expect(devices).toEqual([
      {
        deviceId: expect.any(String),
        name: 'Firefox on Linux',
        signedInDay: today,
        current: true,
        notified: false,
      },
      {
        deviceId: expect.any(String),
        name: 'Safari on iPhone',
        signedInDay: today,
        current: false,
        notified: false,
      },
    ]);

    const [first] = (await phone.call('listDevices', {})).devices;
    expect(first).toMatchObject({ name: 'Safari on iPhone', current: true });
    expect(JSON.stringify(await app.database.tables())).not.toMatch(/a-mark-of-mine|Gecko|18_1/);
  });

  test('signing out one device closes its sockets [PROFILE-10, WIRE-17]', async () => {
    const ada = await app.createStudent();
    const phone = await signInOn(ada, iphone);
    const otherBrowser = await signInOn(ada, firefox);
    const socket = await phone.connect();
    const otherSocket = await otherBrowser.connect();
    const adaSocket = await ada.connect();
    const classId = await ada.createClass();
    const { devices } = await ada.call('listDevices', {});
    const { deviceId } = devices.find(({ name }) => name === 'Safari on iPhone')!;

    await ada.call('signOutDevice', { params: { deviceId } });

    expect(await socket.closed).toBe(4001);
    expect(await phone.call('me', {})).toEqual({ account: null });
    await expect(phone.connect()).rejects.toThrow('401');
    for (const openSocket of [otherSocket, adaSocket]) {
      await openSocket.subscribe(classId);
      expect(await openSocket.post(classId, 'still here')).toMatchObject({ type: 'ack' });
    }

    // Signing out an unknown device succeeds.
    await ada.call('signOutDevice', { params: { deviceId } });
    expect((await ada.call('listDevices', {})).devices).toHaveLength(2);
  });

  test('all devices except the current one can be signed out together [PROFILE-10]', async () => {
    const ada = await app.createStudent();
    const otherBrowsers = [await signInOn(ada, iphone), await signInOn(ada, firefox)];
    const sockets = await Promise.all(otherBrowsers.map((other) => other.connect()));
    const adaSocket = await ada.connect();
    await ada.call('signOutOtherDevices', {});

    for (const socket of sockets) expect(await socket.closed).toBe(4001);

    const { devices } = await ada.call('listDevices', {});
    expect(devices.map(({ current }) => current)).toEqual([true]);

    await adaSocket.subscribe(await ada.createClass());
  });

  test('the fifty-first sign-in of an account ends the session that expires first [AUTH-59]', async () => {
    const ada = await app.createStudent();
    const socket = await ada.connect();
    const otherBrowsers = [];
    for (let n = 0; n < 49; n++) otherBrowsers.push(await signInOn(ada, firefox));

    expect((await ada.call('listDevices', {})).devices).toHaveLength(50);

    // The first device signed in yesterday, the others today.
    const { devices } = await ada.call('listDevices', {});
    const { deviceId } = devices.find(({ current }) => current)!;
    const { toDeviceId } = createRecords(app.database).sessions;
    await changeStoredSessions(
      app.database,
      { endDay: getToday() + 28 },
      ({ id }) => toDeviceId(id) === deviceId,
    );
    const newest = await signInOn(ada, iphone);
    expect(await socket.closed).toBe(4001);
    expect(await ada.call('me', {})).toEqual({ account: null });

    const remainingDevices = (await newest.call('listDevices', {})).devices;
    expect(remainingDevices).toHaveLength(50);
    expect(remainingDevices[0]).toMatchObject({ name: 'Safari on iPhone', current: true });
  });

  test('an account cannot sign out the devices of another account [PROFILE-10, ANON-3]', async () => {
    const ada = await app.createStudent();
    const eve = await app.createStudent();
    const [device] = (await ada.call('listDevices', {})).devices;

    await eve.call('signOutDevice', { params: { deviceId: device!.deviceId } });

    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    await expect(
      app.visitor().call('signOutDevice', { params: { deviceId: device!.deviceId } }),
    ).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });
});

describe('the stored session', () => {
  test('a browser stays signed in for 30 days after its last visit, and its row is written once a month [AUTH-75]', async () => {
    const ada = await app.createStudent();
    const signedIn = Date.now();
    onTestFinished(() => void vi.useRealTimers());
    const visit = async (day: number) => {
      vi.setSystemTime(signedIn + day * 86_400_000);
      return (await ada.call('me', {})).account?.email;
    };
    const rows = new Set<string>();
    for (let day = 1; day <= 59; day++) {
      expect(await visit(day)).toBe(ada.email);
      rows.add(JSON.stringify(await listStoredSessions(app.database, ada.email)));
    }

    expect(rows.size).toBe(2);
    expect(await visit(59 + 29)).toBe(ada.email);
    expect(await visit(59 + 29 + 30)).toBeUndefined();
  });

  test('the stored session does not contain a token that opens a session [AUTH-20]', async () => {
    const ada = await app.createStudent();

    const response = await ada.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      body: JSON.stringify({ email: ada.email, password }),
    });

    const cookie = response.headers.getSetCookie()[0]!.split(';')[0]!;
    const token = decodeURIComponent(cookie.split('=')[1]!).split('.')[0]!;
    expect(token.length).toBeGreaterThan(20);

    const content = await app.database.content();
    expect(content).not.toContain(token);

    const rows = (await app.database.tables())['sessions']!;
    for (const row of rows) expect(row['id']).toMatch(/^[\w-]{43}$/);

    // The server finds the session by its hash, even when it renews the session.
    await changeStoredSessions(app.database, { endDay: getToday() + 3 });
    expect(await ada.call('me', {})).toMatchObject({ account: { email: ada.email } });
    expect(await app.database.content()).not.toContain(token);
    expect(await ada.call('listClasses', {})).toEqual({ classes: [] });
  });
});

test('a damaged session or account with notifications stops neither the server nor a sign-in elsewhere [START-25]', async () => {
  const ada = await app.createStudent();
  const phone = await signInOn(ada, iphone);
  const ben = await app.createStudent();
  const [session] = await listStoredSessions(app.database, ada.email);
  const { id: benId } = await findStoredAccount(app.database, ben.email);
  const readDamaged = () =>
    app.database.query(
      `select content from sessions where id = '${session!.id}'
       union all select content from accounts where id = '${benId}'`,
    );

  await app.restart(async () => {
    await app.database.query(`update sessions set push = 'a subscription'`);
    // A value that was moved from another row cannot be opened.
    const other = `(select content from accounts where id <> '${benId}' limit 1)`;
    await app.database.query(`update sessions set content = ${other} where id = '${session!.id}'`);
    await app.database.query(`update accounts set content = ${other} where id = '${benId}'`);
  });

  const damagedRows = await readDamaged();
  const outcomes = await Promise.allSettled([ada, phone].map((b) => b.call('listClasses', {})));
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await ada.signIn();
  expect((await ada.call('listDevices', {})).devices).toHaveLength(2);
  await expect(ben.call('listClasses', {})).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(await readDamaged()).toEqual(damagedRows);

  await app.database.query(`delete from sessions where id = '${session!.id}'`);
  await app.database.query(`delete from accounts where id = '${benId}'`);
});
