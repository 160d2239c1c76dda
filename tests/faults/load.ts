// The standard load, drawn from the seed: mostly posts, and changes to existing messages.
import { emojis } from '#contract/emojis.ts';
import { clientFrame } from '#contract/socket.ts';
import type { SyncClient } from './sync-client.ts';
import type { History, Operation } from './history.ts';
import type { Random } from '#tests/support/random.ts';
import { university } from '#tests/support/university.ts';

export interface Load {
  stop(): void;
  /** The number of started operations. */
  count(): number;
}

export interface LoadOptions {
  classIds: readonly string[];
  /** The delay between two operations of one client. */
  everyMs?: readonly [least: number, most: number];
  /** A message's length in characters; long messages have three bytes per character. */
  length?: number;
  /** Some versions of the protocol do not have all changes. */
  postsOnly?: boolean;
}

/** Limits the backlog of a disconnected client to what a person could type. */
const maxWaiting = 20;

export function startLoad(
  clients: readonly SyncClient[],
  history: History,
  random: Random,
  { classIds, everyMs = [20, 120], length = 40, postsOnly = false }: LoadOptions,
): Load {
  const timers = new Set<NodeJS.Timeout>();
  let count = 0;
  for (const client of clients) {
    const clientRandom = random.fork(client.name);
    const startNext = () => {
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          const classId = clientRandom.pick(classIds.filter((id) => client.room(id)));
          const operation = createRandomOperation(client, classId, clientRandom, length, postsOnly);
          if (operation && client.pending() < maxWaiting) {
            count += 1;
            history.operations.push(operation);
            client.submit(operation);
          }
          startNext();
        },
        clientRandom.int(...everyMs),
      );
      timers.add(timer);
    };
    startNext();
  }
  return {
    count: () => count,
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Null while the client does not know its memberId in the class. */
function createRandomOperation(
  client: SyncClient,
  classId: string,
  random: Random,
  length: number,
  postsOnly: boolean,
): Operation | null {
  const { memberId, messages } = client.room(classId);
  if (memberId === null) return null;
  const recent = messages.slice(-15);
  const kind = postsOnly ? 'post' : random.pick(kinds);
  const ownMessages = recent.filter((message) => message.memberId === memberId);
  const target = kind === 'react' ? recent : ownMessages;
  if (kind === 'post' || target.length === 0) return createPost(client, classId, random, length);
  const base = createOperationOn(client, classId, memberId, random.pick(target).id);
  switch (kind) {
    case 'edit':
      return { ...base, kind, text: createText(random, length) };
    case 'delete':
      return { ...base, kind };
    case 'react':
      return { ...base, kind, emoji: random.chance(0.2) ? null : random.pick(emojis) };
  }
}

export function createPost(
  client: SyncClient,
  classId: string,
  random: Random,
  length = 40,
): Operation {
  const memberId = client.room(classId).memberId ?? '';
  const id = createUuid(random);
  return {
    ...createOperationOn(client, classId, memberId, id),
    kind: 'post',
    text: createText(random, length),
  };
}

function createOperationOn(
  client: SyncClient,
  classId: string,
  memberId: string,
  messageId: string,
) {
  const invokedAt = performance.now();
  return { client: client.name, classId, memberId, messageId, invokedAt, answers: [] };
}

type Kind = Operation['kind'];
const wantedKinds: Kind[] = [
  ...Array.from({ length: 12 }, () => 'post' as const),
  ...Array.from({ length: 5 }, () => 'react' as const),
  ...Array.from({ length: 2 }, () => 'edit' as const),
  'delete',
];
const knownKinds = new Set<string>(clientFrame.options.map((option) => option.shape.type.value));
const kinds = wantedKinds.filter((kind) => knownKinds.has(kind));

function createText(random: Random, length: number): string {
  const number = `${random.int(0, 1e9)} `;
  if (length > 1_000) return number.padEnd(length, '漢');
  // The server stores a text without white space around it.
  return `${number}${university.createMessageText(random.int(0, 99)).slice(0, 290).toWellFormed()}`.trim();
}

function createUuid(random: Random): string {
  const drawHex = (digits: number) =>
    Array.from({ length: digits }, () => random.int(0, 15).toString(16)).join('');
  return `${drawHex(8)}-${drawHex(4)}-4${drawHex(3)}-${random.pick(['8', '9', 'a', 'b'])}${drawHex(3)}-${drawHex(12)}`;
}
