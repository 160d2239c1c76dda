// A proxy between our server and PostgreSQL. It can lose an answer or freeze the connection.
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface PostgresProxy {
  /** The connection URL of the database through this proxy. */
  readonly url: string;
  /** The next commit reaches PostgreSQL, and the connection breaks before its answer arrives. */
  loseNextCommitAnswer(): void;
  /** The connection breaks at the next commit, which never reaches PostgreSQL. */
  loseNextCommit(): void;
  /** Whether the commit to lose, or its answer, has not come yet. */
  isLossDue(): boolean;
  /**
   * The connection breaks immediately at the next commit, and PostgreSQL gets the commit when the test
   * releases it.
   */
  holdNextCommit(): Promise<() => void>;
  /**
   * Holds back the n-th message to PostgreSQL from now on, and what follows it on its connection.
   *
   * @returns resolves with what lets them go, when the message has come
   */
  holdMessage(n: number): Promise<() => void>;
  /** Forwards nothing more and closes nothing. */
  freeze(): void;
  /** Freezes when the next commit reaches the stage, and then resolves. */
  freezeAt(stage: CommitStage): Promise<void>;
  thaw(): void;
  end(): void;
}

/** Where a commit of the server is: before PostgreSQL knows of it, with its locks, before the commit, or before its answer. */
export type CommitStage = 'begin' | 'locked' | 'commit' | 'committed';

type Write = (data: Buffer) => void;

/** @param readAnswers passes on what comes from PostgreSQL, called once per connection */
export async function startPostgresProxy(
  target: string,
  readAnswers: (write: Write) => Write = (write) => write,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  /** What happens to the next statement that contains the word. */
  let next: {
    word: 'begin' | 'commit';
    act(near: Socket, far: Socket, data: Buffer): void;
  } | null = null;
  const onCommit = (act: NonNullable<typeof next>['act']) => {
    next = { word: 'commit', act };
  };

  /** How many messages come until one is held back. */
  let messagesLeft = 0;
  let onHeld: (release: () => void) => void = () => {};
  let onThaw: () => void = () => {};

  function freeze(): void {
    frozen = true;
    for (const socket of sockets) socket.pause();
  }

  const server = createServer((clientSocket) => {
    const far = connect(Number(port), hostname);
    for (const [side, other] of [
      [clientSocket, far],
      [far, clientSocket],
    ] as const) {
      sockets.add(side);
      side.on('error', () => other.destroy());
      side.on('close', () => {
        sockets.delete(side);
        if (!frozen) other.end();
      });
      if (frozen) side.pause();
    }
    far.on(
      'data',
      readAnswers((data) => void clientSocket.write(data)),
    );
    clientSocket.on('data', (data) => {
      messagesLeft -= 1;
      if (messagesLeft === 0) {
        clientSocket.pause();
        return onHeld(() => {
          far.write(data);
          clientSocket.resume();
        });
      }
      const { act } = next ?? {};
      if (!act || !data.includes(next?.word ?? '')) far.write(data);
      else {
        next = null;
        act(clientSocket, far, data);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);

  return {
    url: url.href,
    loseNextCommitAnswer() {
      onCommit((clientSocket, far, data) => {
        far.removeAllListeners('data');
        far.once('data', () => clientSocket.destroy());
        far.write(data);
      });
    },
    loseNextCommit() {
      onCommit((clientSocket) => clientSocket.destroy());
    },
    isLossDue: () => next !== null,
    holdNextCommit() {
      return new Promise((resolve) => {
        onCommit((clientSocket, far, data) => {
          clientSocket.removeAllListeners('close');
          clientSocket.destroy();
          far.removeAllListeners('data').resume();
          resolve(() => far.end(data));
        });
      });
    },
    holdMessage(n) {
      messagesLeft = n;
      return new Promise((resolve) => {
        onHeld = resolve;
      });
    },
    freeze,
    freezeAt(stage) {
      return new Promise((resolve) => {
        const word = stage === 'begin' || stage === 'locked' ? 'begin' : 'commit';
        const handleMessage = (_near: Socket, far: Socket, data: Buffer) => {
          const isSent = stage === 'locked' || stage === 'committed';
          if (isSent) far.write(data);
          else onThaw = () => far.write(data);
          freeze();
          resolve();
        };
        next = { word, act: handleMessage };
      });
    },
    thaw() {
      frozen = false;
      onThaw();
      onThaw = () => {};
      for (const socket of sockets) socket.resume();
    },
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
