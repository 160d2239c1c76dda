// The chat of Socket.IO's tutorial, with rooms, on better-sqlite3: each message is stored and synced before it is
// broadcast. Usage: socketio-sqlite.mjs PORT FILE
import Database from 'better-sqlite3';
import { createServer } from 'node:http';
import { Server } from 'socket.io';

const [, , port, file] = process.argv;
const db = new Database(file);
db.pragma('journal_mode = WAL');
db.pragma('synchronous = FULL');
db.exec(`
  create table if not exists messages (
    id integer primary key autoincrement,
    client_offset text unique,
    room text,
    content text
  );
  create index if not exists messages_room on messages (room, id);
`);
const insert = db.prepare('insert into messages (content, client_offset, room) values (?, ?, ?)');
const missedMessages = db.prepare('select id, content from messages where room = ? and id > ?');
const latest = db.prepare(
  'select id, content from messages where room = ? order by id desc limit 50',
);

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://localhost');
  if (url.pathname !== '/history') return response.writeHead(404).end();
  const body = JSON.stringify(latest.all(url.searchParams.get('room')).toReversed());
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return response.writeHead(200, headers).end(body);
});

new Server(server, { connectionStateRecovery: {} }).on('connection', (socket) => {
  let room = '';
  socket.on('join', (name, offset, done) => {
    room = name;
    void socket.join(name);
    if (!socket.recovered && offset !== null) {
      for (const row of missedMessages.iterate(name, offset)) {
        socket.emit('chat message', row.content, row.id);
      }
    }
    done();
  });
  socket.on('chat message', (text, clientOffset, done) => {
    let id;
    try {
      id = insert.run(text, clientOffset, room).lastInsertRowid;
    } catch (error) {
      // A retry of a message that is already stored.
      if (error.code === 'SQLITE_CONSTRAINT_UNIQUE') done();
      return;
    }
    socket.server.to(room).emit('chat message', text, id);
    done();
  });
});

server.listen(Number(port), '127.0.0.1', 4096);
