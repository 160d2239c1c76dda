// The participants of a round: members with one or two sockets, one who leaves, and a stranger.
import { joinClass, newClass } from '../app/running-app.ts';
import { createClient, type Client, type ClientOptions } from './client.ts';
import { signUpClient, type FaultClient } from './fault-client.ts';
import type { Random } from './random.ts';

export interface School {
  classId: string;
  smallClassId: string;
  clients: Client[];
  leaver: Client;
  stranger: Client;
  clientOf(client: Client): FaultClient;
  /** Adds an account to the class. */
  addMember(name: string): Promise<Client>;
  addClient(pupil: FaultClient, name: string, options?: Partial<ClientOptions>): Client;
}

const memberNames = ['ada', 'ben', 'cy', 'dan', 'fay'];

export async function openSchool(
  origin: string,
  random: Random,
  common: Partial<ClientOptions>,
): Promise<School> {
  const names = [...memberNames, 'lee', 'eve'];
  const pupils = await Promise.all(names.map((name) => signUpClient(origin, name)));
  const [ada, ben, , , , lee, eve] = pupils as [
    FaultClient,
    FaultClient,
    FaultClient,
    FaultClient,
    FaultClient,
    FaultClient,
    FaultClient,
  ];
  const members = pupils.slice(0, memberNames.length);
  const classId = await newClass(ada.student);
  const smallClassId = await newClass(ada.student, { courseNumber: '147' });
  for (const pupil of [...members, lee]) await joinClass(pupil.student, classId);
  await joinClass(ben.student, smallClassId);

  const owners = new Map<Client, FaultClient>();
  function addClient(
    pupil: FaultClient,
    name: string,
    options: Partial<ClientOptions> = {},
  ): Client {
    const client = createClient({
      name,
      url: `${origin.replace('http', 'ws')}/live`,
      origin,
      cookie: pupil.cookie(),
      random: random.fork(`client ${name}`),
      ...common,
      ...options,
    });
    owners.set(client, pupil);
    client.follow(classId);
    return client;
  }

  async function addMember(name: string): Promise<Client> {
    const pupil = await signUpClient(origin, name);
    await joinClass(pupil.student, classId);
    return addClient(pupil, name);
  }

  const clients = members.map((pupil) => addClient(pupil, pupil.name));
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
    clientOf: (client) => owners.get(client)!,
  };
}
