import { socketPath, subprotocol } from '#contract/socket-address.ts';
import type { OpenSocket } from './live-socket.ts';

/** The browser's own WebSocket to this origin. */
export const openBrowserSocket: OpenSocket = (on) => {
  const url = new URL(socketPath, location.href);
  url.protocol = url.protocol.replace('http', 'ws');
  const socket = new WebSocket(url, subprotocol);
  socket.addEventListener('open', () => on.open());
  socket.addEventListener('message', (event) => on.text(String(event.data)));
  socket.addEventListener('close', (event) => on.close(event.code));
  return {
    send(text) {
      // While it closes nothing can be sent any more; that it has closed follows by itself.
      if (socket.readyState === WebSocket.OPEN) socket.send(text);
    },
    close: () => socket.close(),
  };
};
