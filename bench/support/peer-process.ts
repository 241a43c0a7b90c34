// A peer that takes pushes as a process of its own: started, waited for, ended with the benchmark.
import { join } from 'node:path';
import { onCoreOf } from './cores.ts';
import type { LiveServer } from './live-server.ts';

export async function startPeer(order: {
  command: string[];
  folder: string;
  rtmpPort: number;
  streams: number;
}): Promise<LiveServer> {
  const { command, folder, rtmpPort, streams } = order;
  const child = Bun.spawn(onCoreOf('server', command), {
    env: { PATH: process.env['PATH'] ?? '' },
    stdout: Bun.file(join(folder, 'stdout.log')),
    stderr: Bun.file(join(folder, 'stderr.log')),
  });
  const killed = () => child.kill('SIGTERM');
  process.on('exit', killed);
  await listening(rtmpPort, child);
  const publishPaths = Array.from({ length: streams }, (_, n) => `/live/stream-${n}`);
  return {
    pid: child.pid,
    rtmpPort,
    publishPaths,
    playPath: publishPaths[0] ?? '',
    kill: async () => {
      process.off('exit', killed);
      // Of nginx the worker ends with its master only where that is asked.
      child.kill('SIGTERM');
      await child.exited;
    },
  };
}

async function listening(port: number, child: Bun.Subprocess): Promise<void> {
  for (;;) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } });
      socket.terminate();
      return;
    } catch {
      // Not listening yet.
    }
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    await Bun.sleep(20);
  }
}
