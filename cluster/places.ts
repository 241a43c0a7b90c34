// Where a cluster's parts are: their folder, their ports, and what is said where one of them cannot be had.
import { createServer } from 'node:net';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';

/** All of it is for this machine alone: nobody else may ask, push or write. */
export const host = '127.0.0.1';
export const nodeNames = ['node-1', 'node-2', 'node-3'] as const;

export interface NodePlace {
  name: string;
  httpPort: number;
  rtmpPort: number;
  /** Its own, as each service has one. */
  folder: string;
}

export interface Places {
  folder: string;
  /** Of the balancer. */
  httpPort: number;
  rtmpPort: number;
  nodes: readonly NodePlace[];
}

/** The program cannot run here, and says why and what helps; no fault of ours. */
export class Unable extends Error {}

/** The nodes' ports are those behind the balancer's; 0 takes any that are free. */
export async function findPlaces(order: {
  folder: string;
  httpPort: number;
  rtmpPort: number;
}): Promise<Places> {
  const http = await portsFrom('PORT', order.httpPort);
  const rtmp = await portsFrom('RTMP_PORT', order.rtmpPort);
  return {
    folder: order.folder,
    httpPort: http[0] ?? 0,
    rtmpPort: rtmp[0] ?? 0,
    nodes: nodeNames.map((name, at) => ({
      name,
      httpPort: http[at + 1] ?? 0,
      rtmpPort: rtmp[at + 1] ?? 0,
      folder: join(order.folder, name),
    })),
  };
}

async function portsFrom(variable: string, first: number): Promise<number[]> {
  const count = nodeNames.length + 1;
  if (first === 0) return await Promise.all(Array.from({ length: count }, freePort));
  const ports = Array.from({ length: count }, (_, at) => first + at);
  for (const port of ports)
    if (!(await isFree(port)))
      throw new Unable(
        `port ${port} is in use: stop the program that has it, or choose others with ${variable} (the nodes have the three behind it)`,
      );
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, host, () => server.close(() => resolve(true)));
  });
}
