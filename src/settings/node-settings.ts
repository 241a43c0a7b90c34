// Settings of one node among several on a database: its name, where the others reach it, and how they are known.
import { isPlainName } from '../base/lib/plain-name.ts';
import { baseUrl, type Settings, text, whole } from './setting.ts';

export const nodeSettings = {
  nodeName: {
    variable: 'NODE_NAME',
    default: '',
    sentence:
      'Name of this service among those that share a PostgreSQL: letters, digits and hyphens; empty for one that is made once and kept in `DATA_DIR`.',
    read: nodeName,
  },
  nodeUrl: {
    variable: 'NODE_URL',
    default: '',
    sentence:
      'Address at which the other nodes on the database reach this one, such as `https://node1.internal:8080`; empty for a service without other nodes. They connect to `/link` below it.',
    read: baseUrl(['http:', 'https:', 'ws:', 'wss:']),
  },
  nodeCa: {
    variable: 'NODE_CA',
    default: '',
    sentence:
      'File of the certificates (PEM) that sign those of the other nodes, where their `NODE_URL` is `https`; empty for those that the system trusts.',
    read: text,
  },
  drainMs: {
    variable: 'DRAIN_MS',
    default: '2500',
    sentence:
      'A node that stops while others are there is not ready for so many milliseconds before it hands over what it has: so long a load balancer needs to see it. Whatever stops it must wait eight seconds more.',
    read: whole(0, 600_000),
  },
} satisfies Settings;

function nodeName(value: string): string {
  if (value !== '' && !isPlainName(value))
    throw new Error(`must be up to 60 letters, digits and hyphens (got "${value}")`);
  return value;
}
