// A fake mail server. It accepts mails, or answers as the test says.
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';

export interface FakeSmtp {
  /** The value for SMTP_URL. */
  readonly url: string;
  /** The accepted mails, with headers. */
  readonly taken: readonly string[];
  /** The address of each recipient that the server offered, as it wrote it in the envelope. */
  readonly recipients: readonly string[];
  /** The number of mails that the server offered. */
  readonly offered: () => number;
  /** Sets the reply to each recipient, or to each sender. null accepts the mail, and '' never answers. */
  answer(reply: string | null, verb?: 'RCPT' | 'MAIL'): void;
  /** Breaks every connection. */
  disconnect(): void;
  stop(): Promise<void>;
}

export async function startFakeSmtp(port = 0): Promise<FakeSmtp> {
  const mails: string[] = [];
  const recipients: string[] = [];
  const sockets = new Set<Socket>();
  let reply: string | null = null;
  let repliedVerb = 'RCPT';
  let recipientCount = 0;

  function serve(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    socket.setEncoding('utf8').write('220 fake ESMTP\r\n');
    let buffer = '';
    let mail: string | null = null;
    socket.on('data', (text: string) => {
      buffer += text;
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (mail === null) mail = handleCommand(socket, line);
        else if (line === '.') {
          mails.push(unfoldRecipient(mail));
          mail = null;
          socket.write('250 2.0.0 taken\r\n');
        } else mail += `${line.replace(/^\./, '')}\n`;
      }
    });
  }

  /** @returns '' when the text of a mail begins */
  function handleCommand(socket: Socket, line: string): string | null {
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'MAIL' && repliedVerb === 'MAIL') socket.write(`${reply ?? '250 ok'}\r\n`);
    else if (verb === 'RCPT') {
      recipientCount += 1;
      recipients.push(/^RCPT TO:<(.*)>$/.exec(line)?.[1] ?? line);
      if (repliedVerb !== 'RCPT') socket.write('250 2.1.5 ok\r\n');
      else if (reply !== '') socket.write(`${reply ?? '250 2.1.5 ok'}\r\n`);
    } else if (verb === 'DATA') {
      socket.write('354 go on\r\n');
      return '';
    } else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else socket.write('250 ok\r\n');
    return null;
  }

  function disconnect(): void {
    for (const socket of sockets) socket.destroy();
  }

  const server = createServer(serve).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    taken: mails,
    recipients,
    offered: () => recipientCount,
    answer(next, verb = 'RCPT') {
      reply = next;
      repliedVerb = verb;
    },
    disconnect,
    async stop() {
      disconnect();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A long address starts its own line of the header. */
export function unfoldRecipient(mail: string): string {
  return mail.replace(/^To:\s+/m, 'To: ');
}
