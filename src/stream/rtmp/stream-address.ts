// Where a connection leads: the application and the stream's name, however an encoder spells them.
import type { AmfObject } from '../formats/amf.ts';
import { textOf } from './rtmp-command.ts';

export interface StreamAddress {
  /** `live` to publish, `play` to play. */
  readonly app: string;
  /** What stands behind the application: some encoders put the key there. */
  readonly name: string;
}

/** From what `connect` says: `live`, `live/`, `/live?x=1`, `live/KEY`, or an address in `tcUrl` alone. */
export function streamAddress(properties: AmfObject): StreamAddress {
  const asked = splitPath(textOf(properties['app']));
  const whole = splitPath(textOf(properties['tcUrl']).replace(/^\w+:\/\/[^/]*/, ''));
  return asked.app === '' || (asked.name === '' && asked.app === whole.app) ? whole : asked;
}

/** The name that `publish` or `play` gives, or the address's own where it gives none. */
export function streamName(given: string, address: StreamAddress): string {
  return partsOf(given).join('/') || address.name;
}

/** The pass that stands behind the name: `ID?pass=PASS`; undefined where none does. */
export function passIn(given: string): string | undefined {
  const [, query = ''] = given.split('?');
  return new URLSearchParams(query).get('pass') ?? undefined;
}

function splitPath(path: string): StreamAddress {
  const [app = '', ...name] = partsOf(path);
  return { app, name: name.join('/') };
}

function partsOf(path: string): string[] {
  const [beforeQuery = ''] = path.split('?');
  return beforeQuery.split('/').filter((part) => part !== '');
}
