// The few calls of the system that Bun has no word for, by bun:ffi: who is at a descriptor, to end it, to choose who comes to which socket.
import { dlopen, type Pointer, ptr } from 'bun:ffi';
import { plainAddress } from './ip-address.ts';

export interface Peer {
  address: string;
  port: number;
}

export interface Traffic {
  receivedBytes: number;
  arrivedBytes: number;
  /** Of ours, in the system's memory, and not on their way. */
  unsentBytes: number;
  /** Whether some of ours are. */
  isUnderWay: boolean;
}

/** Of sockets that the calling thread owns: nobody else closes a descriptor in between. */
export interface Libc {
  /** The lowest descriptor that is free, which is how many are open; undefined where none is. */
  lowestFree(): number | undefined;
  /** Whether each of so many descriptors is open, from the first on; until it is asked again. */
  areOpen(first: number, count: number): (fd: number) => boolean;
  /** The other end of a TCP connection; undefined where the descriptor is none. */
  peerOf(fd: number): Peer | undefined;
  /** The same, of one that may have gone before it was looked at. */
  formerPeerOf(fd: number): Peer | undefined;
  /** Of a socket; undefined where the descriptor is none of TCP. */
  localPortOf(fd: number): number | undefined;
  /** How long nothing has come or been sent. */
  idleMsOf(fd: number): number;
  /** How many bytes have come over a TCP connection; undefined where the system does not say. */
  receivedBytesOf(fd: number): number | undefined;
  /** The same, how many of ours have arrived at the other end, and how many are still to be sent. */
  trafficOf(fd: number): Traffic | undefined;
  /** A number that the socket at a descriptor has for its life, and no other after it; undefined where there is none. */
  socketOf(fd: number): number | undefined;
  /** How many connections may wait to be taken of a socket that listens; as many as the system allows. */
  boundUntaken(fd: number, connections: number): boolean;
  /** How much may wait to be read, of a connection or of those that a socket which listens will take. */
  boundUnread(fd: number, bytes: number): boolean;
  /** The same of what was given to the system and has not been sent. */
  boundUnsent(fd: number, bytes: number): boolean;
  isListening(fd: number): boolean;
  /** Both ways: whoever reads from it sees its end. */
  shutdown(fd: number): void;
  /** Others may listen on the same port, too, who say the same of theirs. */
  sharePort(fd: number): boolean;
  /** Opens another socket that listens where this one does. Nobody takes from it, and there is room for two connections. */
  listenInVain(fd: number): number | undefined;
  /** Connects to a socket that listens, and leaves; `known` is told before from which port. */
  visit(fd: number, known: (port: number) => void): void;
  /** Takes the connections that wait at a socket that listens, and closes them. */
  turnAway(fd: number): void;
  /** How many connections wait to be taken of a socket that listens. */
  untakenOf(fd: number): number;
  /** Which socket gets a new connection: a program of classic BPF gives its place among those that listen on the port. */
  steer(fd: number, program: readonly Instruction[]): boolean;
  /** Packets that the system has dropped at a socket since it was opened; it counts in 32 bits. */
  droppedOf(fd: number): number;
  close(fd: number): void;
  /** Sends a datagram to a socket of this machine, by its path or, behind an `@`, its abstract name; false where it was not taken. */
  tell(address: string, text: string): boolean;
}

/** Code, where to go on if it holds and if not, and its number. */
export type Instruction = readonly [code: number, jt: number, jf: number, k: number];

/** Of Debian and its like, and of Alpine. */
const names = [
  'libc.so.6',
  `libc.musl-${{ x64: 'x86_64', arm64: 'aarch64' }[process.arch as string]}.so.1`,
];

/** Undefined where there is none that we know: other systems number things differently. */
export function openLibc(): Libc | undefined {
  if (process.platform !== 'linux') return undefined;
  for (const name of names) {
    try {
      return libcOf(open(name).symbols);
    } catch {
      // The next one.
    }
  }
  return undefined;
}

/** For a system that does not number its sockets (SO_COOKIE): the other end's address and port, which few have after it. */
export function socketsByPeer(libc: Libc): Libc {
  return {
    ...libc,
    socketOf: (fd) => {
      const peer = libc.peerOf(fd);
      // 53 bits of a number are exact.
      return peer && Bun.hash.crc32(peer.address) * 2 ** 16 + peer.port;
    },
  };
}

function open(name: string) {
  const socketName = { args: ['i32', 'ptr', 'ptr'], returns: 'i32' } as const;
  return dlopen(name, {
    dup: { args: ['i32'], returns: 'i32' },
    close: { args: ['i32'], returns: 'i32' },
    socket: { args: ['i32', 'i32', 'i32'], returns: 'i32' },
    bind: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    connect: { args: ['i32', 'ptr', 'u32'], returns: 'i32' },
    accept: { args: ['i32', 'ptr', 'ptr'], returns: 'i32' },
    shutdown: { args: ['i32', 'i32'], returns: 'i32' },
    listen: { args: ['i32', 'i32'], returns: 'i32' },
    sendto: { args: ['i32', 'ptr', 'u64', 'i32', 'ptr', 'u32'], returns: 'i64' },
    poll: { args: ['ptr', 'u64', 'i32'], returns: 'i32' },
    getpeername: socketName,
    getsockname: socketName,
    getsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'ptr'], returns: 'i32' },
    setsockopt: { args: ['i32', 'i32', 'i32', 'ptr', 'u32'], returns: 'i32' },
  });
}

// Linux, on every machine that Bun runs on.
const families = { local: 1, ipv4: 2, ipv6: 10 };
const socketLevel = 1;
const tcpLevel = 6;
const ipv6Level = 41;
/** Of TCP; it does not wait, and programs that we start do not get it. */
const streamType = 0x1 | 0x800 | 0x80000;
/** The same of datagrams. */
const datagramType = 0x2 | 0x800 | 0x80000;
/** Who is not there is no reason to end this process. */
const withoutSignal = 0x4000;
/** With the zero behind it. */
const pathBytesMax = 108;
const reuseAddressOption = 2;
const receiveBufferOption = 8;
const reusePortOption = 15;
const acceptsOption = 30;
const steerOption = 51;
const peerNameOption = 28;
const memoryInfoOption = 55;
const cookieOption = 57;
const tcpInfoOption = 11;
const synAnswersOption = 7;
const unsentOption = 25;
const ipv6OnlyOption = 26;
const bothWays = 2;
/** Where in `tcp_info` it stands how many packets of ours were not acknowledged yet; where it listens, how many wait. */
const unackedAt = 24;
/** Where in `tcp_info` it stands how long ago data was sent and came, in milliseconds. */
const lastSentAt = 44;
const lastReceivedAt = 52;
/** And how many bytes of ours were acknowledged and how many have come. */
const bytesAckedAt = 120;
const bytesReceivedAt = 128;
/** And how many bytes of ours are still to be sent. Linux tells it since 4.6; of one that does not we read none of the three. */
const bytesUnsentAt = 144;
/** Where in `SO_MEMINFO` it stands how much was dropped. */
const droppedAt = 32;
/** What `poll` is asked of a descriptor, and what it answers of one that is not open. */
const askedBytes = 8;
const isClosed = 0x20;
/** Of an IPv4 name; of an IPv6 one it has the beginning. */
const shortNameBytes = 16;

function libcOf(symbols: ReturnType<typeof open>['symbols']): Libc {
  const name = new Block(28);
  const length = new Block(4);
  const info = new Block(bytesUnsentAt + 4);
  const flag = new Block(4);
  const memory = new Block(36);
  const cookie = new Block(8);
  let asked = new Block(askedBytes);
  const familyBy = (call: 'getpeername' | 'getsockname', fd: number) => {
    length.view.setInt32(0, name.view.byteLength, true);
    if (symbols[call](fd, name.at, length.at) !== 0) return undefined;
    return name.view.getUint16(0, true);
  };
  const option = (fd: number, level: number, key: number, value: Block) => {
    length.view.setInt32(0, value.view.byteLength, true);
    return symbols.getsockopt(fd, level, key, value.at, length.at) === 0;
  };
  const setOption = (fd: number, key: number, value: Block, level = socketLevel) =>
    symbols.setsockopt(fd, level, key, value.at, value.view.byteLength) === 0;
  const setNumber = (fd: number, key: number, value: number, level = socketLevel) => {
    flag.view.setInt32(0, value, true);
    return setOption(fd, key, flag, level);
  };
  const sharePort = (fd: number) => setNumber(fd, reusePortOption, 1);
  /** Leaves the name of a socket in `name`. */
  const nameBytesOf = (fd: number) => {
    const family = familyBy('getsockname', fd);
    if (family === families.ipv4) return shortNameBytes;
    return family === families.ipv6 ? name.view.byteLength : undefined;
  };
  return {
    lowestFree: () => {
      const fd = symbols.dup(2);
      if (fd < 0) return undefined;
      symbols.close(fd);
      return fd;
    },
    areOpen: (first, count) => {
      if (asked.view.byteLength < count * askedBytes) asked = new Block(count * askedBytes);
      const { view } = asked;
      for (let at = 0; at < count; at += 1) view.setInt32(at * askedBytes, first + at, true);
      const isTold = symbols.poll(asked.at, count, 0) >= 0;
      return (fd) =>
        !isTold || (view.getUint16((fd - first) * askedBytes + 6, true) & isClosed) === 0;
    },
    peerOf: (fd) => {
      const family = familyBy('getpeername', fd);
      if (family !== families.ipv4 && family !== families.ipv6) return undefined;
      return { address: addressIn(name.view, family), port: portIn(name.view) };
    },
    formerPeerOf: (fd) => {
      // It takes no longer name than it has.
      for (const bytes of [shortNameBytes, name.view.byteLength]) {
        length.view.setInt32(0, bytes, true);
        if (symbols.getsockopt(fd, socketLevel, peerNameOption, name.at, length.at) !== 0) break;
        const family = name.view.getUint16(0, true);
        if (family === families.ipv6 && bytes === shortNameBytes) continue;
        return { address: addressIn(name.view, family), port: portIn(name.view) };
      }
      return undefined;
    },
    localPortOf: (fd) => {
      const family = familyBy('getsockname', fd);
      if (family !== families.ipv4 && family !== families.ipv6) return undefined;
      return portIn(name.view);
    },
    idleMsOf: (fd) => {
      if (!option(fd, tcpLevel, tcpInfoOption, info)) return 0;
      const { view } = info;
      return Math.min(view.getUint32(lastSentAt, true), view.getUint32(lastReceivedAt, true));
    },
    receivedBytesOf: (fd) => {
      if (!option(fd, tcpLevel, tcpInfoOption, info)) return undefined;
      const isTold = length.view.getInt32(0, true) >= info.view.byteLength;
      return isTold ? Number(info.view.getBigUint64(bytesReceivedAt, true)) : undefined;
    },
    trafficOf: (fd) => {
      if (!option(fd, tcpLevel, tcpInfoOption, info)) return undefined;
      if (length.view.getInt32(0, true) < info.view.byteLength) return undefined;
      return {
        receivedBytes: Number(info.view.getBigUint64(bytesReceivedAt, true)),
        arrivedBytes: Number(info.view.getBigUint64(bytesAckedAt, true)),
        unsentBytes: info.view.getUint32(bytesUnsentAt, true),
        isUnderWay: info.view.getUint32(unackedAt, true) > 0,
      };
    },
    socketOf: (fd) =>
      option(fd, socketLevel, cookieOption, cookie)
        ? Number(cookie.view.getBigUint64(0, true))
        : undefined,
    boundUntaken: (fd, connections) => symbols.listen(fd, connections) === 0,
    boundUnread: (fd, bytes) => setNumber(fd, receiveBufferOption, bytes),
    boundUnsent: (fd, bytes) => setNumber(fd, unsentOption, bytes, tcpLevel),
    isListening: (fd) =>
      option(fd, socketLevel, acceptsOption, flag) && flag.view.getInt32(0, true) === 1,
    shutdown: (fd) => {
      symbols.shutdown(fd, bothWays);
    },
    sharePort,
    listenInVain: (fd) => {
      const nameBytes = nameBytesOf(fd);
      if (nameBytes === undefined) return undefined;
      const another = symbols.socket(name.view.getUint16(0, true), streamType, 0);
      const isIpv6 = option(fd, ipv6Level, ipv6OnlyOption, flag);
      if (isIpv6) setOption(another, ipv6OnlyOption, flag, ipv6Level);
      const isOpen =
        // Beside connections of the port that are open, or have just been.
        setNumber(another, reuseAddressOption, 1) &&
        sharePort(another) &&
        symbols.bind(another, name.at, nameBytes) === 0 &&
        // The system answers a half connected peer once more, and forgets it after three seconds.
        setNumber(another, synAnswersOption, 1, tcpLevel) &&
        // With room for none some systems would answer by cookies, and say that they are flooded.
        symbols.listen(another, 1) === 0;
      if (isOpen) return another;
      symbols.close(another);
      return undefined;
    },
    visit: (fd, known) => {
      if (nameBytesOf(fd) === undefined) return;
      const family = name.view.getUint16(0, true);
      const visitor = symbols.socket(family, streamType, 0);
      // At every address, and at a port that is free.
      const anywhere = new Block(name.view.byteLength);
      anywhere.view.setUint16(0, family, true);
      const isBound = symbols.bind(visitor, anywhere.at, anywhere.view.byteLength) === 0;
      if (isBound && nameBytesOf(visitor) !== undefined) {
        known(portIn(name.view));
        // Where it listens at every address the system takes that for itself.
        const nameBytes = nameBytesOf(fd) ?? 0;
        symbols.connect(visitor, name.at, nameBytes);
      }
      symbols.close(visitor);
    },
    turnAway: (fd) => {
      // It does not wait: where there is none it fails.
      for (let taken = symbols.accept(fd, null, null); taken >= 0; ) {
        symbols.close(taken);
        taken = symbols.accept(fd, null, null);
      }
    },
    untakenOf: (fd) =>
      option(fd, tcpLevel, tcpInfoOption, info) ? info.view.getUint32(unackedAt, true) : 0,
    steer: (fd, program) => setOption(fd, steerOption, programBlock(program)),
    droppedOf: (fd) =>
      option(fd, socketLevel, memoryInfoOption, memory)
        ? memory.view.getUint32(droppedAt, true)
        : 0,
    close: (fd) => {
      symbols.close(fd);
    },
    tell: (address, text) => {
      const path = Buffer.from(address.replace(/^@/, '\0'));
      const bytes = Buffer.from(text);
      if (path.length === 0 || path.length >= pathBytesMax || bytes.length === 0) return false;
      const to = Buffer.concat([Buffer.from([families.local, 0]), path, Buffer.alloc(1)]);
      // An abstract name is as long as it is given.
      const length = address.startsWith('@') ? to.length - 1 : to.length;
      const fd = symbols.socket(families.local, datagramType, 0);
      if (fd < 0) return false;
      const sent = symbols.sendto(fd, ptr(bytes), bytes.length, withoutSignal, ptr(to), length);
      symbols.close(fd);
      return Number(sent) === bytes.length;
    },
  };
}

/** The structure that points to the instructions; both are read before the call returns. */
function programBlock(program: readonly Instruction[]): Block {
  const instructions = new Block(8 * program.length);
  for (const [at, [code, jt, jf, k]] of program.entries()) {
    instructions.view.setUint16(8 * at, code, true);
    instructions.view.setUint8(8 * at + 2, jt);
    instructions.view.setUint8(8 * at + 3, jf);
    instructions.view.setUint32(8 * at + 4, k, true);
  }
  const block = new Block(16, instructions);
  block.view.setUint16(0, program.length, true);
  block.view.setBigUint64(8, BigInt(instructions.at), true);
  return block;
}

/** Memory that both sides know. */
class Block {
  private readonly bytes: Uint8Array<ArrayBuffer>;
  readonly view: DataView;
  readonly at: Pointer;

  /** What it points to, and must not be let go before it. */
  readonly beside: Block | undefined;

  constructor(length: number, beside?: Block) {
    this.beside = beside;
    this.bytes = new Uint8Array(length);
    this.view = new DataView(this.bytes.buffer);
    this.at = ptr(this.bytes);
  }
}

function portIn(name: DataView): number {
  return name.getUint16(2, false);
}

function addressIn(name: DataView, family: number): string {
  if (family === families.ipv4)
    return `${name.getUint8(4)}.${name.getUint8(5)}.${name.getUint8(6)}.${name.getUint8(7)}`;
  const groups = Array.from({ length: 8 }, (_, at) => name.getUint16(8 + 2 * at, false));
  return plainAddress(groups.map((group) => group.toString(16)).join(':')) ?? '';
}
