// The first words of a link: who is there, and a proof from each side. Texts in, texts out; the socket is another's.
import { linkLimits } from './link-limits.ts';
import { type Acquaintance, isProof, newNonce, proofOf, secretName } from './link-proof.ts';

/** This node, and what it may say of itself. */
export interface OwnSide {
  node: string;
  /** From its start to its end; another start is another run. */
  run: string;
  /** Those that are good now, the newest first. */
  secrets(): readonly string[];
}

/** Who the other side has proved to be. */
export interface Proved {
  node: string;
  run: string;
  /** The secret that both know: where it is good no more, nor is the link. */
  secret: string;
}

export type Step =
  | { say: string; proved?: Proved }
  | { proved: Proved }
  /** Why it is refused, in one word. */
  | { refused: HandshakeRefusal };

export type HandshakeRefusal = 'words' | 'node' | 'address' | 'secret' | 'proof' | 'run';

export interface Handshake {
  /** What this side says first, if it does. */
  readonly first: string | undefined;
  hear(text: string): Step;
}

/** The side that has dialled `to` at `address`. */
export function dialling(own: OwnSide, { to, address }: { to: string; address: string }) {
  const nonce = newNonce();
  const { node, run } = own;
  const secrets = new Map(own.secrets().map((secret) => [secretName(secret), secret]));
  const hello = { link: 1, node, run, to, address, nonce, secrets: [...secrets.keys()] };
  let met: { acquaintance: Acquaintance; secret: string } | undefined;
  const hear = (text: string): Step => {
    const words = readWords(text);
    if (!words) return { refused: 'words' };
    if (met) {
      const { acquaintance, secret } = met;
      const isRight = isProof(textIn(words, 'proof'), proofOf(secret, 'server', acquaintance));
      if (!isRight) return { refused: 'proof' };
      const { server } = acquaintance;
      return { proved: { node: server.node, run: server.run, secret } };
    }
    const server = sideIn(words);
    const secret = secrets.get(textIn(words, 'secret'));
    if (!server) return { refused: 'words' };
    if (server.node !== to) return { refused: 'node' };
    if (secret === undefined) return { refused: 'secret' };
    const acquaintance = { dialler: { node, run, nonce }, server, address };
    met = { acquaintance, secret };
    return { say: JSON.stringify({ proof: proofOf(secret, 'dialler', acquaintance) }) };
  };
  return { first: JSON.stringify(hello), hear } satisfies Handshake;
}

export interface ServingOptions extends OwnSide {
  /** Where others dial this node, without the scheme. */
  address: string;
  /** Whether the node may have this run: a list may know that it has another by now. */
  mayBe(node: string, run: string): boolean;
}

/** The side that was dialled. It proves nothing before the other has: a stranger learns a name and a number. */
export function serving(own: ServingOptions): Handshake {
  const nonce = newNonce();
  const { node, run, address } = own;
  let met: { acquaintance: Acquaintance; secret: string } | undefined;
  const greet = (words: Words): Step => {
    const dialler = sideIn(words);
    if (!dialler || words['link'] !== 1) return { refused: 'words' };
    // Of two nodes the one with the smaller name dials, so that there is one link.
    if (textIn(words, 'to') !== node || !(dialler.node < node)) return { refused: 'node' };
    if (textIn(words, 'address') !== address) return { refused: 'address' };
    const named = Array.isArray(words['secrets']) ? words['secrets'] : [];
    const secret = own.secrets().find((one) => named.includes(secretName(one)));
    if (secret === undefined) return { refused: 'secret' };
    met = { acquaintance: { dialler, server: { node, run, nonce }, address }, secret };
    return { say: JSON.stringify({ node, run, nonce, secret: secretName(secret) }) };
  };
  const hear = (text: string): Step => {
    const words = readWords(text);
    if (!words) return { refused: 'words' };
    if (!met) return greet(words);
    const { acquaintance, secret } = met;
    const { dialler } = acquaintance;
    if (!isProof(textIn(words, 'proof'), proofOf(secret, 'dialler', acquaintance)))
      return { refused: 'proof' };
    if (!own.mayBe(dialler.node, dialler.run)) return { refused: 'run' };
    const say = JSON.stringify({ proof: proofOf(secret, 'server', acquaintance) });
    return { say, proved: { node: dialler.node, run: dialler.run, secret } };
  };
  return { first: undefined, hear };
}

type Words = Record<string, unknown>;

function readWords(text: string): Words | undefined {
  if (text.length > linkLimits.handshakeBytesMax) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    return typeof words === 'object' && words !== null && !Array.isArray(words)
      ? (words as Words)
      : undefined;
  } catch {
    return undefined;
  }
}

function textIn(words: Words, name: string): string {
  const value = words[name];
  return typeof value === 'string' ? value : '';
}

function sideIn(words: Words): { node: string; run: string; nonce: string } | undefined {
  const [node, run, nonce] = [textIn(words, 'node'), textIn(words, 'run'), textIn(words, 'nonce')];
  const isSide = isName(node) && isName(run) && /^[0-9a-f]{32}$/.test(nonce);
  return isSide ? { node, run, nonce } : undefined;
}

function isName(text: string): boolean {
  return text !== '' && text.length <= linkLimits.nameMax && /^[\w.:-]+$/.test(text);
}

/** Of an address as `NODE_URL` has it: host and port, without the scheme. */
export function linkAddress(url: string): string {
  const { hostname, port, protocol } = new URL(url);
  const usual = protocol === 'https:' || protocol === 'wss:' ? '443' : '80';
  return `${hostname}:${port || usual}`;
}
