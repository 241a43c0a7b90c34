// Commands: a name, a transaction and values in AMF (RTMP 1.0, section 7.2).
import { readUint32 } from '../../base/bytes/memory.ts';
import { type AmfObject, type AmfValue, readAmf, writeAmf } from '../formats/amf.ts';
import type { OutgoingMessage } from './chunk-writer.ts';
import { amf0In, type Message, messageType, uint32, userEvent, WireError } from './message.ts';
import type { RtmpReason } from './rtmp-refusals.ts';

export interface Command {
  readonly name: string;
  /** 0 where no answer is wanted. */
  readonly transaction: number;
  /** What `connect` says about the connection; empty elsewhere. */
  readonly properties: AmfObject;
  readonly args: readonly AmfValue[];
}

export interface Status {
  readonly streamId: number;
  readonly level: 'status' | 'error';
  readonly code: string;
  readonly description: string;
}

export function readCommand(message: Message): Command {
  const [name, transaction, properties, ...args] = readAmf(amf0In(message));
  if (typeof name !== 'string') throw new WireError('A command has no name');
  return {
    name,
    transaction: typeof transaction === 'number' ? transaction : 0,
    properties: isObject(properties) ? properties : {},
    args,
  };
}

export function commandMessage(streamId: number, ...values: AmfValue[]): OutgoingMessage {
  return { type: messageType.command, streamId, timestamp: 0, body: [writeAmf(...values)] };
}

export function statusMessage({ streamId, level, code, description }: Status): OutgoingMessage {
  return commandMessage(streamId, 'onStatus', 0, null, { level, code, description });
}

/** A control message: numbers of 32 bits, or bytes as they are. */
export function controlMessage(type: number, ...parts: (number | Uint8Array)[]): OutgoingMessage {
  const body = parts.map((part) => (typeof part === 'number' ? uint32(part) : part));
  return { type, streamId: 0, timestamp: 0, body };
}

export function userControlMessage(event: number, value: number): OutgoingMessage {
  return controlMessage(messageType.userControl, Uint8Array.of(event >> 8, event), value);
}

/** A server asks so whether its clients are still there, and some clients ask it too. */
export function pingAnswer({ type, body }: Message): OutgoingMessage | undefined {
  if (type !== messageType.userControl || body.length < 6) return undefined;
  const isPing = body[0] === 0 && body[1] === userEvent.pingRequest;
  return isPing ? userControlMessage(userEvent.pingResponse, readUint32(body, 2)) : undefined;
}

interface RejectionOptions extends Omit<Status, 'level'> {
  /** For our log. */
  cause?: unknown;
  /** What it counts as; nothing where it is our own doing. */
  refusal?: RtmpReason | undefined;
}

/** Ends a connection; the peer is sent the status first. */
export class Rejection extends Error {
  readonly status: Status;
  readonly refusal: RtmpReason | undefined;

  constructor({ cause, refusal, ...status }: RejectionOptions) {
    super(status.description, { cause });
    this.status = { ...status, level: 'error' };
    this.refusal = refusal;
  }
}

/** The push cannot go on; the sentence is for the encoder. */
export function rejected(streamId: number, description: string, refusal?: RtmpReason): Rejection {
  return new Rejection({ streamId, code: 'NetStream.Publish.Rejected', description, refusal });
}

export function textOf(value: AmfValue): string {
  return typeof value === 'string' ? value : '';
}

export function isObject(value: AmfValue): value is AmfObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
