// Turns the live ladder of a service's first account on or off, as its operator does.
import { footlight } from '../../test/support/service-process.ts';

/** Holds from the next push on. */
export async function wantLadder(DATA_DIR: string, isWanted: boolean): Promise<void> {
  const words = ['account', 'set', '1', '--live-ladder', String(isWanted), '--json'];
  const child = Bun.spawn([...footlight, ...words], {
    env: { ...process.env, DATA_DIR },
    stdout: 'ignore',
    stderr: 'pipe',
  });
  if ((await child.exited) !== 0) throw new Error(await new Response(child.stderr).text());
}
