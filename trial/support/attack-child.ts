// One attacker, in a process of its own, so that the honest peers beside it have an event loop to themselves.
import { type Attack, type Target, untilSignal } from '../../test/support/attacks/attack.ts';

export interface AttackOrder {
  name: string;
  target: Target;
  /** The loopback address it comes from. */
  from: string;
  seconds: number;
}

/** How often it was begun; or why it failed. */
export type AttackReport = { goes: number } | { problem: string };

if (import.meta.main) {
  const order = JSON.parse(process.argv[2] ?? '') as AttackOrder;
  const report = await attackFor(order).catch((error: Error) => ({ problem: error.message }));
  console.log(JSON.stringify(report));
  process.exit();
}

export async function attackNamed(name: string): Promise<Attack> {
  const module = (await import(`../../test/support/attacks/${name}.ts`)) as { attack: Attack };
  return module.attack;
}

/** Begins anew until its time is over. */
async function attackFor({ name, target, from, seconds }: AttackOrder): Promise<AttackReport> {
  const attack = await attackNamed(name);
  const signal = AbortSignal.timeout(seconds * 1_000);
  let goes = 0;
  while (!signal.aborted) {
    await untilSignal(signal, () => attack.run(target, { from, signal }));
    goes += 1;
  }
  return { goes };
}
