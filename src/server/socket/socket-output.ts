// What leaves by one socket, and what happens when the other end does not take it.
import type { WebSocket } from 'ws';
import { closeCodes } from '#contract/socket-address.ts';
import type { Outgoing } from './subscription.ts';

export interface SocketOutput extends Outgoing {
  /** Asks the other end to close; one that does not is cut off. */
  close(code: number, reason: string): void;
}

/** Past this many bytes of live frames unsent the browser is too slow: it comes back and resumes. */
const mostBufferedBytes = 1024 * 1024;
const patienceMs = 5000;

export function createSocketOutput(socket: WebSocket): SocketOutput {
  /** Of what was missed, given to the socket and not yet taken: it does not count as being slow. */
  let missedBytes = 0;

  function close(code: number, reason: string): void {
    socket.close(code, reason);
    setTimeout(() => socket.terminate(), patienceMs).unref();
  }

  return {
    close,
    fellBehind: () => close(closeCodes.tooSlow, 'too slow'),
    send(frame) {
      if (socket.readyState !== socket.OPEN) return;
      socket.send(frame);
      if (socket.bufferedAmount - missedBytes > mostBufferedBytes) {
        close(closeCodes.tooSlow, 'too slow');
      }
    },
    sendMissed(frame) {
      if (socket.readyState !== socket.OPEN) return Promise.resolve();
      const bytes = Buffer.byteLength(frame);
      missedBytes += bytes;
      return new Promise((resolve) => {
        socket.send(frame, () => {
          missedBytes -= bytes;
          resolve();
        });
      });
    },
  };
}
