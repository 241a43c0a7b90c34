// What it costs a node to tell a line of chat to each of its pages: real sockets, held by a process of their own.
import { fileURLToPath } from 'node:url';

export interface FanOut {
  sockets: number;
  /** Of our processor, for one line to one page. */
  microseconds: number;
}

const topic = 'room';
const listeners = fileURLToPath(new URL('fan-listeners.ts', import.meta.url));

export async function measureFanOut(given: { sockets: number; lines: number }): Promise<FanOut> {
  const { sockets, lines } = given;
  const gathered = Promise.withResolvers<void>();
  let open = 0;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request, own) =>
      own.upgrade(request) ? undefined : new Response(null, { status: 400 }),
    websocket: {
      open: (socket) => {
        socket.subscribe(topic);
        open += 1;
        if (open === sockets) gathered.resolve();
      },
      message: () => {},
    },
  });
  const program = Bun.spawn(
    [process.execPath, listeners, String(server.port), String(sockets), String(lines)],
    { stdout: 'pipe', stderr: 'inherit' },
  );
  try {
    await gathered.promise;
    const before = process.cpuUsage();
    for (let line = 0; line < lines; line += 1) {
      server.publish(topic, lineText(line));
      // A page takes what it was told before the next comes, as at a few lines a second.
      await Bun.sleep(0);
    }
    const heard = Number(await new Response(program.stdout).text());
    const { user, system } = process.cpuUsage(before);
    if (heard !== sockets * lines)
      throw new Error(`${heard} lines were heard, not ${sockets * lines}`);
    return { sockets, microseconds: (user + system) / (sockets * lines) };
  } finally {
    program.kill();
    await server.stop(true);
  }
}

/** As the page gets it. */
function lineText(id: number): string {
  const message = {
    id,
    author: 'a1b2c3d4',
    nick: 'Viewer 12345',
    text: 'what a goal, again!',
    at: 0,
  };
  return JSON.stringify({ type: 'chat', messages: [message] });
}
