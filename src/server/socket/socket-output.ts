// What leaves by one socket, and what happens when the other end does not take it.
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { closeCodes } from '#contract/socket-address.ts';
import type { EncodedFrame } from './encode-frame.ts';
import type { Outgoing } from './subscription.ts';

export interface SocketOutput extends Outgoing {
  /** Asks the other end to close; one that does not is cut off. */
  close(code: number, reason: string): void;
}

/** Past this many bytes of live frames unsent the browser is too slow: it comes back and resumes. */
const mostBufferedBytes = 1024 * 1024;
const patienceMs = 5000;

/** Sockets with something to send. What one turn of the event loop has for a socket is one write. */
let due: (() => void)[] = [];

function flushAll(): void {
  const flushes = due;
  due = [];
  for (const flush of flushes) flush();
}

/**
 * @param stream the connection below the socket: frames that are encoded already go straight to it,
 * and `ws`, which would encode them again for each socket, writes only its pings and closes there
 */
export function createSocketOutput(socket: WebSocket, stream: Duplex): SocketOutput {
  let unsent: EncodedFrame | EncodedFrame[] | null = null;
  /** Of what was missed, given to the stream and not yet taken: it does not count as being slow. */
  let missedBytes = 0;

  function flush(): void {
    const frames = unsent;
    unsent = null;
    if (!frames || socket.readyState !== socket.OPEN) return;
    if (Array.isArray(frames)) {
      stream.cork();
      for (const frame of frames) stream.write(frame);
      stream.uncork();
    } else stream.write(frames);
    if (stream.writableLength - missedBytes > mostBufferedBytes) {
      close(closeCodes.tooSlow, 'too slow');
    }
  }

  function close(code: number, reason: string): void {
    flush();
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), patienceMs).unref();
  }

  return {
    close,
    fellBehind: () => close(closeCodes.tooSlow, 'too slow'),
    send(frame) {
      if (unsent) {
        if (Array.isArray(unsent)) unsent.push(frame);
        else unsent = [unsent, frame];
        return;
      }
      unsent = frame;
      if (due.push(flush) === 1) process.nextTick(flushAll);
    },
    sendMissed(...frames) {
      flush();
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      const bytes = Buffer.concat(frames);
      missedBytes += bytes.length;
      return new Promise((resolve) => {
        stream.write(bytes, () => {
          missedBytes -= bytes.length;
          resolve();
        });
      });
    },
  };
}
