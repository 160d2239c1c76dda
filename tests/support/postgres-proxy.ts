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
  /**
   * The connection breaks immediately at the next commit, and PostgreSQL gets the commit when the test
   * releases it.
   */
  holdNextCommit(): Promise<() => void>;
  /** Forwards nothing more and closes nothing. */
  freeze(): void;
  thaw(): void;
  end(): void;
}

type Write = (data: Buffer) => void;

/** @param readAnswers passes on what comes from PostgreSQL, called once per connection */
export async function startPostgresProxy(
  target: string,
  readAnswers: (write: Write) => Write = (write) => write,
): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  let onCommit: ((near: Socket, far: Socket, data: Buffer) => void) | null = null;

  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [side, other] of [
      [near, far],
      [far, near],
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
      readAnswers((data) => void near.write(data)),
    );
    near.on('data', (data) => {
      const commit = onCommit;
      if (!commit || !data.includes('commit')) far.write(data);
      else {
        onCommit = null;
        commit(near, far, data);
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
      onCommit = (near, far, data) => {
        far.removeAllListeners('data');
        far.once('data', () => near.destroy());
        far.write(data);
      };
    },
    loseNextCommit() {
      onCommit = (near) => near.destroy();
    },
    holdNextCommit() {
      return new Promise((resolve) => {
        onCommit = (near, far, data) => {
          near.removeAllListeners('close');
          near.destroy();
          far.removeAllListeners('data').resume();
          resolve(() => far.end(data));
        };
      });
    },
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      for (const socket of sockets) socket.resume();
    },
    end() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
