// Broadcasts each message to its room with the `ws` package and stores nothing. Usage: ws-bare.mjs PORT
import { createServer } from 'node:http';
import { WebSocket, WebSocketServer } from 'ws';

const rooms = new Map();
const server = createServer((request, response) => response.writeHead(404).end());

new WebSocketServer({ server }).on('connection', (socket, request) => {
  const name = new URL(request.url, 'http://localhost').searchParams.get('room');
  const room = rooms.get(name) ?? new Set();
  rooms.set(name, room);
  room.add(socket);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => room.delete(socket));
  socket.on('message', (data, binary) => {
    for (const member of room) {
      if (member.readyState === WebSocket.OPEN) member.send(data, { binary });
    }
  });
});

server.listen(Number(process.argv[2]), '127.0.0.1', 4096);
