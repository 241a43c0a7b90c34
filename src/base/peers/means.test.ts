// What is said at the start where the system lacks something, of a real socket.
import { afterAll, expect, test } from 'bun:test';
import { type Libc, openLibc } from '../lib/libc.ts';
import { startLog } from '../lib/log.ts';
import { openDoor } from './door.ts';
import { askMeans } from './means.ts';

const system = openLibc();
const linuxTest = test.if(system !== undefined);
const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
afterAll(() => listener.stop(true));

linuxTest('each means that is lacking is one sentence', () => {
  if (!system) return;
  expect(asked(system)).toEqual({ said: [], libc: system });
  const said = (libc: Libc | undefined) => asked(libc).said;
  expect(said(undefined)).toEqual([expect.stringContaining('nothing is bound: this needs Linux')]);
  expect(said({ ...system, trafficOf: () => undefined })).toEqual([
    expect.stringMatching(/bytes are not counted: .*Linux 4\.6/),
  ]);
  for (const lacks of [
    { sharePort: () => false },
    { listenInVain: () => undefined },
    { steer: () => false },
  ])
    expect(said({ ...system, ...lacks })).toEqual([
      expect.stringMatching(/nobody is kept out: .*Linux 4\.6/),
    ]);
});

linuxTest('where sockets have no number who is at the other end tells them apart', () => {
  if (!system) return;
  const peers = [1, 2].map((port) => ({ address: '2001:db8::1', port }));
  const unnumbered = { ...system, socketOf: () => undefined, peerOf: (fd: number) => peers[fd] };
  const { said, libc } = asked(unnumbered);
  expect(said).toEqual([]);
  const [one, other, none] = [0, 1, 2].map((fd) => libc?.socketOf(fd));
  expect(one).toBeNumber();
  expect(other).toBeNumber();
  expect(one).not.toBe(other);
  expect(libc?.socketOf(0)).toBe(one);
  expect(none).toBeUndefined();
});

function asked(libc: Libc | undefined) {
  const said: string[] = [];
  const log = startLog('warn', {
    write: (line) => said.push(line),
  });
  const { fd: listening } = listener as unknown as { fd: number };
  const lacking = {
    calls: 'nothing is bound',
    traffic: 'bytes are not counted',
    door: 'nobody is kept out',
  };
  const door = libc && openDoor(libc, listening);
  const given = { libc, listening, door, lacking, log };
  const means = { libc: askMeans(given), said };
  log.flush();
  door?.close();
  return means;
}
