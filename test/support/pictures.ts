// Small pictures for tests: some as encoders write them, and PNG of any size, also one that lies.
import { deflateSync } from 'node:zlib';
import type { Steps } from '../../src/base/turns/stepped-work.ts';
import { withoutExtras } from '../../src/library/images/image-extras.ts';

/** Of 20 × 12 pixels each, as ffmpeg writes them. */
export const encoded = {
  jpeg: Uint8Array.fromBase64(
    '/9j/4AAQSkZJRgABAgAAAQABAAD//gAQTGF2YzU5LjM3LjEwMAD/2wBDAAg+Pkk+SVVVVVVVVWRdZGhoaGRkZGRoaGhwcHCDg4NwcHBoaHBwfHyDg4+Tj4eHg4eTk5ubm7q6srLZ2eD/////xAGiAAABBQEBAQEBAQAAAAAAAAAAAQIDBAUGBwgJCgsBAAMBAQEBAQEBAQEAAAAAAAABAgMEBQYHCAkKCxAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ipqrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6EQACAQIEBAMEBwUEBAABAncAAQIDEQQFITEGEkFRB2FxEyIygQgUQpGhscEJIzNS8BVictEKFiQ04SXxFxgZGiYnKCkqNTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqCg4SFhoeIiYqSk5SVlpeYmZqio6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2dri4+Tl5ufo6ery8/T19vf4+fr/wAARCAAMABQDASIAAhEAAxEA/9oADAMBAAIRAxEAPwDi6KKK+UP38KKKKAP/2Q==',
  ),
  lossyWebp: Uint8Array.fromBase64(
    'UklGRmwAAABXRUJQVlA4WAoAAAAQAAAAEwAACwAAQUxQSAoAAAABB9C/iAhERP8DVlA4IDwAAAAQAwCdASoUAAwAPpE4l0eloyIhMAgAsBIJQBdl0AAQNgAA/u7T3/4DdfFtMv/3OB/3OB/3OB/HM1mAAAA=',
  ),
  losslessWebp: Uint8Array.fromBase64('UklGRhwAAABXRUJQVlA4TA8AAAAvE8ACAAcQ9Y/+ByKi/wEA'),
  movingWebp: Uint8Array.fromBase64(
    'UklGRhwBAABXRUJQVlA4IBABAAAwCACdASoUAAwAPpE4l0eloyIhMAgAsBIJbACdMoRwN6BvAXYDJAuwGeAdYBzxX7AfCT5NxYM3pv5yEyHqwDJfZn3HwybDKLIeAAD+8ZNUOLzYj7mCS4TPHMhf2u4krqWCo2r8VzV3IPma6poqvQ+CCXeeWwO2ThOcRQ+GlGQEREbTLanUyaPiLIMIb47L2pOnS5f7MVSaEHXhZCf7AI965/9TGSS+u/s/+vI2vF9nVORhk3/6RBUZOhdqh7SFll+ad8AU73Af1Oz+ZfhfbNQKLlOb5+Pl1eH+DDrID2e473FvD9H+DzTdvrwqwulllP7f/g35SBf/i5r51X6ZpIBTQrFgf5HNQJVnwzF6MGgAAA==',
  ),
  gif: Uint8Array.fromBase64(
    'R0lGODlhFAAMAPcfMQAAACQAAEgAAGwAAJAAALQAANgAAPwAAAAkACQkAEgkAGwkAJAkALQkANgkAPwkAABIACRIAEhIAGxIAJBIALRIANhIAPxIAABsACRsAEhsAGxsAJBsALRsANhsAPxsAACQACSQAEiQAGyQAJCQALSQANiQAPyQAAC0ACS0AEi0AGy0AJC0ALS0ANi0APy0AADYACTYAEjYAGzYAJDYALTYANjYAPzYAAD8ACT8AEj8AGz8AJD8ALT8ANj8APz8AAAAVSQAVUgAVWwAVZAAVbQAVdgAVfwAVQAkVSQkVUgkVWwkVZAkVbQkVdgkVfwkVQBIVSRIVUhIVWxIVZBIVbRIVdhIVfxIVQBsVSRsVUhsVWxsVZBsVbRsVdhsVfxsVQCQVSSQVUiQVWyQVZCQVbSQVdiQVfyQVQC0VSS0VUi0VWy0VZC0VbS0Vdi0Vfy0VQDYVSTYVUjYVWzYVZDYVbTYVdjYVfzYVQD8VST8VUj8VWz8VZD8VbT8Vdj8Vfz8VQAAqiQAqkgAqmwAqpAAqrQAqtgAqvwAqgAkqiQkqkgkqmwkqpAkqrQkqtgkqvwkqgBIqiRIqkhIqmxIqpBIqrRIqthIqvxIqgBsqiRsqkhsqmxsqpBsqrRsqthsqvxsqgCQqiSQqkiQqmyQqpCQqrSQqtiQqvyQqgC0qiS0qki0qmy0qpC0qrS0qti0qvy0qgDYqiTYqkjYqmzYqpDYqrTYqtjYqvzYqgD8qiT8qkj8qmz8qpD8qrT8qtj8qvz8qgAA/yQA/0gA/2wA/5AA/7QA/9gA//wA/wAk/yQk/0gk/2wk/5Ak/7Qk/9gk//wk/wBI/yRI/0hI/2xI/5BI/7RI/9hI//xI/wBs/yRs/0hs/2xs/5Bs/7Rs/9hs//xs/wCQ/ySQ/0iQ/2yQ/5CQ/7SQ/9iQ//yQ/wC0/yS0/0i0/2y0/5C0/7S0/9i0//y0/wDY/yTY/0jY/2zY/5DY/7TY/9jY//zY/wD8/yT8/0j8/2z8/5D8/7T8/9j8//z8/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQEMgAfACwAAAAAFAAMAAAIJgAPCBxIsKDBgwgTKixo4GBDgw8XSpxIsWJEghcratxo0aFHgQEBACH5BAUyAAAALBMACwABAAEAAAgEAAEEBAA7',
  ),
  plainWebp: Uint8Array.fromBase64(
    'UklGRkgAAABXRUJQVlA4IDwAAAAQAwCdASoUAAwAPpE4l0eloyIhMAgAsBIJQBdl0AAQNgAA/u7T3/4DdfFtMv/3OB/3OB/3OB/HM1mAAAA=',
  ),
};

export interface PngOrder {
  width: number;
  height: number;
  /** Unpacked bytes of its pixels, where they are not what the size says. */
  pixelBytes?: number;
  isInterlaced?: boolean;
  /** Chunks before the pixels. */
  more?: Uint8Array[];
}

/** Of one grey: a byte a pixel. */
export function png({ width, height, isInterlaced, more = [], ...order }: PngOrder): Uint8Array {
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width);
  view.setUint32(4, height);
  header[8] = 8;
  header[12] = isInterlaced ? 1 : 0;
  const pixels = new Uint8Array(order.pixelBytes ?? height * (1 + width));
  return Buffer.concat([
    Uint8Array.fromHex('89504e470d0a1a0a'),
    pngChunk('IHDR', header),
    ...more,
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', new Uint8Array()),
  ]);
}

export function pngChunk(name: string, bytes: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(12 + bytes.length);
  chunk.writeUInt32BE(bytes.length);
  chunk.write(name, 4, 'latin1');
  chunk.set(bytes, 8);
  chunk.writeUInt32BE(Bun.hash.crc32(chunk.subarray(4, 8 + bytes.length)), 8 + bytes.length);
  return chunk;
}

/** As a browser sends it. */
export function fileOf(bytes: Uint8Array, type = 'image/png'): Blob {
  return new Blob([new Uint8Array(bytes)], { type });
}

/** What the steps come to, in one turn. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** The sample without what the encoder has written into it: nothing can be taken out of it. */
export const plainJpeg = atOnce(withoutExtras(encoded.jpeg, 'image/jpeg'));

/** The sample, filled up with a colour profile to a length. */
export function jpegOf(length: number): Uint8Array {
  const jpeg = plainJpeg;
  const parts = [jpeg.subarray(0, 2)];
  for (let left = length - jpeg.length; left > 0; ) {
    // None is left over that is too short for one of its own.
    const size = left <= 65_537 ? left : Math.min(65_537, left - 16);
    const colours = Buffer.alloc(size, 7);
    colours.writeUInt16BE(0xffe2, 0);
    colours.writeUInt16BE(size - 2, 2);
    colours.write('ICC_PROFILE\0', 4, 'latin1');
    parts.push(colours);
    left -= size;
  }
  return Buffer.concat([...parts, jpeg.subarray(2)]);
}
