// Settings of a service that is one of several on a database.
import { isPlainName } from '../base/lib/plain-name.ts';
import { baseUrl, type Settings } from './setting.ts';

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
      'Address under which the other nodes reach this one, such as `http://10.0.0.5:8080`; empty where it is the only one.',
    read: baseUrl(['http:', 'https:']),
  },
} satisfies Settings;

function nodeName(value: string): string {
  if (value !== '' && !isPlainName(value))
    throw new Error(`must be up to 60 letters, digits and hyphens (got "${value}")`);
  return value;
}
