// The program by which the system chooses who comes in at a door, in classic BPF as linux/filter.h numbers it.
import type { Instruction } from '../lib/libc.ts';

/** Networks as `networkOf` names them: nobody of these, and of others one in so many. */
export type KeptOut =
  | 'everybody'
  | {
      networks: readonly string[];
      few?: readonly (readonly [network: string, oneIn: number])[];
    };

/** Places among the sockets that listen on the port: where connections are taken, and where they are not. */
export interface DoorPlaces {
  open: number;
  shut: number;
}

const loadByte = 0x30;
const loadHalf = 0x28;
const loadWord = 0x20;
const loadKept = 0x60;
const keep = 0x02;
const and = 0x54;
const jump = 0x05;
const ifEqual = 0x15;
const ifAtLeast = 0x35;
const giveBack = 0x06;
/** A packet is read from what follows TCP's header on; the IP header is before it. */
const ipHeader = 0xfff00000;
const ipv4Source = ipHeader + 12;
const ipv6Source = ipHeader + 8;
/** Of a packet without options. */
const ipv4Port = ipHeader + 20;
const ipv6Port = ipHeader + 40;
/** 32 bits, anew each time. */
const randomNumber = 0xfffff038;

/** The actions stand at the end, once for all networks: programs have a bound. */
export function doorProgram(
  { open, shut }: DoorPlaces,
  keptOut: KeptOut = { networks: [] },
): Instruction[] {
  const pass: Instruction = [giveBack, 0, 0, open];
  const drop: Instruction = [giveBack, 0, 0, shut];
  if (keptOut === 'everybody') return [drop];
  const { networks, few = [] } = keptOut;
  const judged = [
    ...networks.map((network) => ({ network, oneIn: Number.POSITIVE_INFINITY })),
    ...few.map(([network, oneIn]) => ({ network, oneIn })),
  ];
  const ofIpv6: Step[] = [
    [loadWord, 0, 0, ipv6Source],
    [keep, 0, 0, 0],
    [loadWord, 0, 0, ipv6Source + 4],
    [keep, 0, 0, 1],
    ...judged.filter(({ network }) => network.includes(':')).flatMap(ifIpv6),
    pass,
  ];
  const ofIpv4 = judged.filter(({ network }) => network.includes('.')).flatMap(ifIpv4);
  const steps: Step[] = [
    [loadByte, 0, 0, ipHeader],
    [and, 0, 0, 0xf0],
    [ifEqual, 0, 1, 0x40],
    [jump, 0, 0, ofIpv6.length],
    ...ofIpv6,
    [loadWord, 0, 0, ipv4Source],
    ...ofIpv4,
    pass,
  ];
  const verdicts = new Map<number, number>();
  const ends: Instruction[] = [];
  for (const { oneIn } of judged) {
    if (verdicts.has(oneIn)) continue;
    verdicts.set(oneIn, steps.length + ends.length);
    // By chance, so that a peer cannot know when.
    ends.push([loadWord, 0, 0, randomNumber]);
    ends.push([ifAtLeast, 0, 1, Math.floor(2 ** 32 / oneIn)], drop, pass);
  }
  const resolved = steps.map(
    (step, at): Instruction =>
      'oneIn' in step ? [jump, 0, 0, (verdicts.get(step.oneIn) ?? 0) - at - 1] : step,
  );
  return [...resolved, ...ends];
}

/** A visitor of our own, by the port it comes from, goes where none are taken. */
export function visitorProgram({ open, shut }: DoorPlaces, port: number): Instruction[] {
  return [
    [loadByte, 0, 0, ipHeader],
    [and, 0, 0, 0xf0],
    [ifEqual, 0, 2, 0x40],
    [loadHalf, 0, 0, ipv4Port],
    [jump, 0, 0, 1],
    [loadHalf, 0, 0, ipv6Port],
    [ifEqual, 0, 1, port],
    [giveBack, 0, 0, shut],
    [giveBack, 0, 0, open],
  ];
}

/** An instruction, or that it goes on where one in so many is passed. */
type Step = Instruction | { oneIn: number };

interface JudgedNetwork {
  network: string;
  oneIn: number;
}

function ifIpv4({ network, oneIn }: JudgedNetwork): Step[] {
  const [a = 0, b = 0, c = 0, d = 0] = network.split('.').map(Number);
  return [[ifEqual, 0, 1, ((a << 24) | (b << 16) | (c << 8) | d) >>> 0], { oneIn }];
}

/** Its first 64 bits. */
function ifIpv6({ network, oneIn }: JudgedNetwork): Step[] {
  const [a = 0, b = 0, c = 0, d = 0] = network
    .split(':')
    .map((group) => Number.parseInt(group, 16) || 0);
  return [
    [loadKept, 0, 0, 0],
    [ifEqual, 0, 3, ((a << 16) | b) >>> 0],
    [loadKept, 0, 0, 1],
    [ifEqual, 0, 1, ((c << 16) | d) >>> 0],
    { oneIn },
  ];
}
