// Asks a service for what a stage needs: whatever it refuses is an error.
import type { ServiceProcess } from '../../test/support/service-process.ts';

export type Ask = ReturnType<typeof asker>;

export function asker(service: ServiceProcess) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await service.call(method, path, body === undefined ? {} : { body });
    if (answer.status !== 200)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}
