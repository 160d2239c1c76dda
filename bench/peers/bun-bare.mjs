// Broadcasts each message to its room with Bun's publish and subscribe, and stores nothing. Usage: bun-bare.mjs PORT
const server = globalThis.Bun.serve({
  port: Number(process.argv[2]),
  hostname: '127.0.0.1',
  fetch(request) {
    const room = new URL(request.url).searchParams.get('room');
    if (server.upgrade(request, { data: { room } })) return undefined;
    return new Response('', { status: 400 });
  },
  websocket: {
    perMessageDeflate: false,
    backpressureLimit: 64 * 1024 * 1024,
    open: (socket) => socket.subscribe(socket.data.room),
    message(socket, message) {
      // The server publishes, because a socket's own publish skips the sender.
      server.publish(socket.data.room, message);
    },
  },
});
