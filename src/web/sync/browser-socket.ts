import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { OpenSocket } from './live-socket.ts';

/** Opens the browser's WebSocket to this origin. */
export const openBrowserSocket: OpenSocket = (on) => {
  const url = new URL(socketPath, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, subprotocol);
  socket.addEventListener('open', () => on.open());
  socket.addEventListener('message', (event) => on.text(String(event.data)));
  socket.addEventListener('close', (event) => on.close(event.code));
  return {
    send(text) {
      // A closing socket cannot send. The close event follows.
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
};
