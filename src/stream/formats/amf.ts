// AMF0, the values of RTMP commands and of stream metadata (amf0-file-format-specification).
import { keep, type Lent } from '../../base/bytes/memory.ts';
import { MediaError } from './packet.ts';

export type AmfValue = number | boolean | string | null | undefined | AmfValue[] | AmfObject;

/** Made without a prototype: `__proto__` is a name like any other. */
export interface AmfObject {
  [name: string]: AmfValue;
}

export class AmfError extends MediaError {}

/** Encoders nest two deep; each level costs a frame of our stack. */
const depthMax = 16;
/** OBS, the most talkative, sends 20 fields. */
const itemsMax = 256;
/** In all places together: 64 KB of the smallest would be 20,000. */
const valuesMax = 4_096;
/** Of names too. The longest are addresses with a signed key in them, below 2 KB. */
const stringBytesMax = 8_192;

/** The markers of section 2.1 that we know. */
const mark = {
  number: 0x00,
  boolean: 0x01,
  string: 0x02,
  object: 0x03,
  null: 0x05,
  undefined: 0x06,
  ecmaArray: 0x08,
  objectEnd: 0x09,
  strictArray: 0x0a,
  date: 0x0b,
  longString: 0x0c,
  unsupported: 0x0d,
  xmlDocument: 0x0f,
  typedObject: 0x10,
} as const;

/** Every value in the bytes. */
export function readAmf(bytes: Lent): AmfValue[] {
  const reader = new AmfReader(keep(bytes));
  const values: AmfValue[] = [];
  while (!reader.isAtEnd) {
    checkCount(values.length + 1);
    values.push(reader.value());
  }
  return values;
}

/** Has `writeAmf` write an object as the ECMA array that players expect stream metadata to be. */
export function ecmaArray(values: AmfObject): EcmaArray {
  return new EcmaArray(values);
}

export function writeAmf(...values: (AmfValue | EcmaArray)[]): Uint8Array {
  return Buffer.concat(values.flatMap((value) => written(value)));
}

class EcmaArray {
  readonly values: AmfObject;

  constructor(values: AmfObject) {
    this.values = values;
  }
}

class AmfReader {
  private readonly bytes: Uint8Array;
  private readonly view: DataView;
  private at = 0;
  private values = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  value(depth = 0): AmfValue {
    if (depth > depthMax) throw new AmfError(`AMF is nested deeper than ${depthMax}`);
    this.values += 1;
    if (this.values > valuesMax) throw new AmfError(`AMF holds more than ${valuesMax} values`);
    return this.valueOf(this.uint8(), depth);
  }

  private valueOf(marker: number, depth: number): AmfValue {
    switch (marker) {
      case mark.number:
        return this.number();
      case mark.boolean:
        return this.uint8() !== 0;
      case mark.string:
        return this.string(this.uint16());
      case mark.object:
        return this.object(depth);
      case mark.null:
        return null;
      case mark.undefined:
      case mark.unsupported:
        return undefined;
      case mark.ecmaArray:
        // Its count is a hint that encoders get wrong; the end marker is what counts.
        this.skip(4);
        return this.object(depth);
      case mark.strictArray:
        return this.array(depth);
      case mark.date:
        return this.date();
      case mark.longString:
      case mark.xmlDocument:
        return this.string(this.uint32());
      case mark.typedObject:
        this.string(this.uint16());
        return this.object(depth);
      default:
        throw new AmfError(`AMF holds a value of a kind we do not read: 0x${marker.toString(16)}`);
    }
  }

  /**
   * Some muxers let the end of the message stand for the last end marker, and ffmpeg reads that;
   * so do we, but only between two properties.
   */
  private object(depth: number): AmfObject {
    const values: AmfObject = Object.create(null);
    for (let count = 1; !this.isAtEnd; count += 1) {
      const name = this.string(this.uint16());
      if (name === '' && this.bytes[this.at] === mark.objectEnd) {
        this.skip(1);
        break;
      }
      checkCount(count);
      values[name] = this.value(depth + 1);
    }
    return values;
  }

  private array(depth: number): AmfValue[] {
    const count = this.uint32();
    checkCount(count);
    return Array.from({ length: count }, () => this.value(depth + 1));
  }

  /** Milliseconds since 1970, then a time zone that the specification says to ignore. */
  private date(): number {
    const at = this.number();
    this.skip(2);
    return at;
  }

  private string(length: number): string {
    if (length > stringBytesMax) {
      throw new AmfError(`AMF holds a string longer than ${stringBytesMax} bytes`);
    }
    const from = this.skip(length);
    return decoder.decode(this.bytes.subarray(from, this.at));
  }

  private number(): number {
    return this.view.getFloat64(this.skip(8));
  }

  private uint8(): number {
    return this.view.getUint8(this.skip(1));
  }

  private uint16(): number {
    return this.view.getUint16(this.skip(2));
  }

  private uint32(): number {
    return this.view.getUint32(this.skip(4));
  }

  /** Passes over bytes that must be there; returns where they begin. */
  private skip(count: number): number {
    const from = this.at;
    if (count > this.bytes.length - from) throw new AmfError('AMF ends too early');
    this.at = from + count;
    return from;
  }
}

/** Lenient: a title in another encoding must not end a push. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function checkCount(count: number): void {
  if (count > itemsMax) throw new AmfError(`AMF holds more than ${itemsMax} items in one place`);
}

function written(value: AmfValue | EcmaArray): Uint8Array[] {
  if (value === null) return [Uint8Array.of(mark.null)];
  if (value === undefined) return [Uint8Array.of(mark.undefined)];
  if (typeof value === 'boolean') return [Uint8Array.of(mark.boolean, value ? 1 : 0)];
  if (typeof value === 'number') return [writtenNumber(value)];
  if (typeof value === 'string') return writtenString(value);
  if (Array.isArray(value)) {
    return [headOf(mark.strictArray, value.length), ...value.flatMap((item) => written(item))];
  }
  if (value instanceof EcmaArray) {
    const count = Object.keys(value.values).length;
    return [headOf(mark.ecmaArray, count), ...writtenProperties(value.values)];
  }
  return [Uint8Array.of(mark.object), ...writtenProperties(value)];
}

function writtenNumber(value: number): Uint8Array {
  const bytes = Buffer.alloc(9);
  bytes.writeDoubleBE(value, 1);
  return bytes;
}

function writtenString(value: string): Uint8Array[] {
  const text = Buffer.from(value);
  if (text.length > 0xffff) return [headOf(mark.longString, text.length), text];
  return [Uint8Array.of(mark.string), uint16(text.length), text];
}

function writtenProperties(values: AmfObject): Uint8Array[] {
  const properties = Object.entries(values).flatMap(([name, value]) => {
    const text = Buffer.from(name);
    return [uint16(text.length), text, ...written(value)];
  });
  return [...properties, Uint8Array.of(0, 0, mark.objectEnd)];
}

function headOf(marker: number, length: number): Uint8Array {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt8(marker);
  bytes.writeUInt32BE(length, 1);
  return bytes;
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value >> 8, value & 0xff);
}
