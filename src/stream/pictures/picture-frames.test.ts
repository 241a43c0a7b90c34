// Frames come through whole in pieces of any length, and nonsense is known for it.
import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { FrameReader, frameKinds, frameParts } from './picture-frames.ts';

test('frames come through whole, however they are cut', () => {
  const frame = fc.record({
    kind: fc.constantFrom(...frameKinds),
    first: fc.uint8Array({ maxLength: 50 }),
    second: fc.uint8Array({ maxLength: 50 }),
  });
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 5 }), fc.integer({ min: 1, max: 40 }), (sent, cut) => {
      const bytes = Buffer.concat(
        sent.flatMap(({ kind, first, second }) => frameParts(kind, first, second)),
      );
      const reader = new FrameReader();
      const came = [];
      for (let at = 0; at < bytes.length; at += cut)
        came.push(...reader.push(bytes.subarray(at, at + cut)));
      expect(
        came.map((one) => ({ ...one, first: [...one.first], second: [...one.second] })),
      ).toEqual(sent.map((one) => ({ ...one, first: [...one.first], second: [...one.second] })));
    }),
  );
});

test.each([
  ['a kind that there is not', [0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0]],
  ['a length beyond all reason', [0, 0, 0, 1, 255, 0, 0, 0, 0, 0, 0, 0]],
])('%s is refused', (_name, bytes) => {
  expect(() => new FrameReader().push(Uint8Array.from(bytes))).toThrow('no frame');
});
