// A proxy between our server and PostgreSQL. It can lose a reply or freeze the connection.
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
   * @returns resolves with a function that releases them, when the message has come
   */
  holdMessage(n: number): Promise<() => void>;
  /** Stops forwarding, and keeps every connection open. */
  freeze(): void;
  /** Freezes when the next commit has been sent, before its answer arrives, and then resolves. */
  freezeAfterCommit(): Promise<void>;
  thaw(): void;
  end(): void;
}

/** A statement ends with a zero. The settings of each new connection contain 'synchronous_commit'. */
const commitKeyword = 'commit\0';

type Write = (data: Buffer) => void;

/** @param wrapWrite returns the function that forwards data from PostgreSQL. The proxy calls it once per connection. */
export async function startPostgresProxy(
  target: string,
  wrapWrite: (write: Write) => Write = (write) => write,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isFrozen = false;
  /** What happens to the next commit. */
  let onCommit: ((clientSocket: Socket, serverSocket: Socket, data: Buffer) => void) | null = null;

  /** How many messages come until one is held back. */
  let messagesLeft = 0;
  let onHeld: (release: () => void) => void = () => {};

  function freeze(): void {
    isFrozen = true;
    for (const socket of sockets) socket.pause();
  }

  const server = createServer((clientSocket) => {
    const serverSocket = connect(Number(port), hostname);
    for (const [side, other] of [
      [clientSocket, serverSocket],
      [serverSocket, clientSocket],
    ] as const) {
      sockets.add(side);
      side.on('error', () => other.destroy());
      side.on('close', () => {
        sockets.delete(side);
        if (!isFrozen) other.end();
      });
      if (isFrozen) side.pause();
    }
    serverSocket.on(
      'data',
      wrapWrite((data) => void clientSocket.write(data)),
    );
    clientSocket.on('data', (data) => {
      messagesLeft -= 1;
      if (messagesLeft === 0) {
        clientSocket.pause();
        return onHeld(() => {
          serverSocket.write(data);
          clientSocket.resume();
        });
      }
      const handle = onCommit;
      if (!handle || !data.includes(commitKeyword)) serverSocket.write(data);
      else {
        onCommit = null;
        handle(clientSocket, serverSocket, data);
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
      onCommit = (clientSocket, serverSocket, data) => {
        serverSocket.removeAllListeners('data');
        serverSocket.once('data', () => clientSocket.destroy());
        serverSocket.write(data);
      };
    },
    loseNextCommit() {
      onCommit = (clientSocket) => clientSocket.destroy();
    },
    isLossDue: () => onCommit !== null,
    holdNextCommit() {
      return new Promise((resolve) => {
        onCommit = (clientSocket, serverSocket, data) => {
          clientSocket.removeAllListeners('close');
          clientSocket.destroy();
          serverSocket.removeAllListeners('data').resume();
          resolve(() => serverSocket.end(data));
        };
      });
    },
    holdMessage(n) {
      messagesLeft = n;
      return new Promise((resolve) => {
        onHeld = resolve;
      });
    },
    freeze,
    freezeAfterCommit() {
      return new Promise((resolve) => {
        onCommit = (_clientSocket, serverSocket, data) => {
          serverSocket.write(data);
          freeze();
          resolve();
        };
      });
    },
    thaw() {
      isFrozen = false;
      for (const socket of sockets) socket.resume();
    },
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
