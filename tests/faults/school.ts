// The participants of a round: members with one or two sockets, one who leaves, and a stranger.

import { createTestClient, type TestClient } from '#tests/support/test-client.ts';
import { createSyncClient, type SyncClient, type SyncClientOptions } from './sync-client.ts';
import type { Random } from '#tests/support/random.ts';
import { university } from '#tests/support/university.ts';

export interface School {
  classId: string;
  smallClassId: string;
  clients: SyncClient[];
  leaver: SyncClient;
  stranger: SyncClient;
  /** Adds an account to the class. */
  addMember(name: string): Promise<SyncClient>;
  addClient(account: TestClient, name: string, options?: Partial<SyncClientOptions>): SyncClient;
}

const memberNames = ['ada', 'ben', 'cy', 'dan', 'fay'];

export async function openSchool(
  origin: string,
  random: Random,
  common: Partial<SyncClientOptions>,
): Promise<School> {
  let accountCount = 0;
  const names = [...memberNames, 'lee', 'eve'];
  const accounts = await Promise.all(names.map(signUp));
  const members = accounts.slice(0, memberNames.length);
  const [ada, ben] = members as [TestClient, TestClient];
  const [lee, eve] = accounts.slice(memberNames.length) as [TestClient, TestClient];
  const classId = await ada.createClass();
  const smallClassId = await ada.createClass({ courseNumber: '147' });
  for (const account of [...members, lee]) await account.join(classId);
  await ben.join(smallClassId);

  async function signUp(name: string): Promise<TestClient> {
    const { localPart } = university.createPerson(accountCount++);
    const account = createTestClient(origin, `${name}.${localPart}@university.edu`);
    await account.signUp();
    return account;
  }

  function addClient(
    account: TestClient,
    name: string,
    options: Partial<SyncClientOptions> = {},
  ): SyncClient {
    const client = createSyncClient({
      name,
      account,
      random: random.fork(`client ${name}`),
      ...common,
      ...options,
    });
    client.follow(classId);
    return client;
  }

  async function addMember(name: string): Promise<SyncClient> {
    const account = await signUp(name);
    await account.join(classId);
    return addClient(account, name);
  }

  const clients = members.map((account) => addClient(account, account.name));
  clients.push(addClient(ada, 'ada-2'));
  for (const client of clients.slice(0, 2)) client.follow(smallClassId);
  const leaver = addClient(lee, 'lee');
  const stranger = addClient(eve, 'eve');
  return {
    classId,
    smallClassId,
    clients,
    leaver,
    stranger,
    addClient,
    addMember,
  };
}
