// What strangers may send is read or ignored, never believed and never thrown at us.
import { describe, expect, test } from 'bun:test';
import * as fc from 'fast-check';
import { readPageMessage, readResume, resumeText } from './page-message-reader.ts';

describe('a message', () => {
  test.each([
    ['{"type":"hello","ticket":"t","instance":"i"}', { type: 'hello', ticket: 't', instance: 'i' }],
    [
      '{"type":"hello","ticket":"t","instance":"i","resume":"1.2","more":1}',
      { type: 'hello', ticket: 't', instance: 'i', resume: '1.2' },
    ],
    [
      '{"type":"hello","ticket":"t","instance":"i","said":{"played_ms":9,"reports":[[9,1],[8],["7",1],[6,null],5,[4,3,2],[4,3,2,1],[0,-2]]}}',
      {
        type: 'hello',
        ticket: 't',
        instance: 'i',
        said: {
          played_ms: 9,
          reports: [
            [9, 1],
            [4, 3, 2],
            [0, -2],
          ],
        },
      },
    ],
    ['{"type":"report","played_ms":1.5}', { type: 'report', played_ms: 1.5 }],
    ['{"type":"report","played_ms":1,"shown_at":5}', { type: 'report', played_ms: 1, shown_at: 5 }],
    ['{"type":"report","played_ms":1,"shown_at":null}', { type: 'report', played_ms: 1 }],
    ['{"type":"report","played_ms":-1}', { type: 'report', played_ms: -1 }],
    ['{"type":"chat","text":"hi"}', { type: 'chat', text: 'hi' }],
    ['{"type":"chat","text":"hi","reply_to":7}', { type: 'chat', text: 'hi', reply_to: 7 }],
    ['{"type":"chat","text":"hi","reply_to":0.5}', { type: 'chat', text: 'hi' }],
    ['{"type":"chat","text":"hi","reply_to":"7"}', { type: 'chat', text: 'hi' }],
    ['{"type":"nick","nick":"Ada"}', { type: 'nick', nick: 'Ada' }],
    ['{"type":"share","how":"qr"}', { type: 'share', how: 'qr' }],
  ])('%s is read', (text, message) => {
    expect(readPageMessage(text)).toEqual(message as never);
  });

  test.each([
    '',
    'null',
    '[]',
    '"hello"',
    '{"type":"hello","ticket":"t"}',
    '{"type":"hello","ticket":"t","instance":""}',
    `{"type":"hello","ticket":"t","instance":"${'i'.repeat(41)}"}`,
    '{"type":"report"}',
    '{"type":"report","played_ms":"10"}',
    '{"type":"report","played_ms":1e999}',
    '{"type":"chat","text":["hi"]}',
    '{"type":"share","how":"telepathy"}',
    '{"type":"constructor"}',
    '{"type":"__proto__"}',
  ])('%s is nothing', (text) => {
    expect(readPageMessage(text)).toBeUndefined();
  });

  test('of any text and any JSON is read or ignored', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const message = readPageMessage(text);
        expect(message === undefined || typeof message.type === 'string').toBe(true);
      }),
    );
  });
});

describe('what a welcome gives for coming back', () => {
  test('names the session', () => {
    expect(readResume('7.9')).toEqual({ record_id: 7, session_seq: 9 });
    expect(readResume(resumeText({ record_id: 7, seq: 9 }, 4))).toEqual({
      held_by: 4,
      record_id: 7,
      session_seq: 9,
    });
  });

  test.each([undefined, '', '7', '7.', '.9', '-7.9', '7.9.1.1', '1e3.2', '9'.repeat(16)])(
    '%p names none',
    (text) => {
      expect(readResume(text)).toBeUndefined();
    },
  );
});
