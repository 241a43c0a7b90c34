// A service that rude clients are let loose on, and what its operator sees of it.
import { type Attack, type Target, untilSignal } from './attacks/attack.ts';
import type { TestService } from './service.ts';

/** Another loopback address than an honest viewer's, and so another network. */
export const rudeAddress = '127.0.0.2';

/** The attack against one channel of the service, until all that it must be refused for was counted. */
export async function suffer(
  service: TestService,
  attack: Attack,
  channel_id: number,
): Promise<void> {
  const target: Target = {
    port: Number(new URL(service.url).port),
    rtmpPort: service.rtmpPort,
    token: service.token,
    channels: [],
    show: { id: channel_id, play_id: '' },
  };
  const before = await refusalsOf(service);
  const end = new AbortController();
  const { signal } = end;
  const attacked = untilSignal(signal, () =>
    attack.run(target, { from: rudeAddress, signal }),
  ).finally(() => end.abort());
  while (!signal.aborted) {
    await Bun.sleep(lookEveryMs);
    const refused = await refusalsOf(service);
    const isRefused = (reason: string) => (refused[reason] ?? 0) > (before[reason] ?? 0);
    if (attack.refusals.every(isRefused)) end.abort();
  }
  await attacked;
}

const lookEveryMs = 250;

/** What was refused so far, by `kind reason`. */
export async function refusalsOf(service: TestService): Promise<Record<string, number>> {
  const { text } = await service.call('GET', '/metrics', { token: null });
  const lines = text.matchAll(/^footlight_refusals_total\{kind="(\w+)",reason="(\w+)"\} (\d+)$/gm);
  const all = Array.from(lines, ([, kind, reason, n]) => [`${kind} ${reason}`, Number(n)] as const);
  return Object.fromEntries(all.filter(([, count]) => count > 0));
}
