import { expect, test } from 'bun:test';
import { BodyRefusal } from './body-bytes.ts';
import { ApiError } from './errors.ts';
import { isFormType, readFormBody } from './form-body.ts';
import { bodyBytesMax } from './json-body.ts';

const formType = 'application/x-www-form-urlencoded';

test.each<[string, boolean]>([
  [formType, true],
  [`${formType}; charset=utf-8`, true],
  ['Application/X-WWW-Form-Urlencoded', true],
  ['multipart/form-data', false],
  [`text/plain; ${formType}`, false],
  ['application/json', false],
])('%s is a form: %p', (type, isForm) => {
  expect(isFormType(type)).toBe(isForm);
});

test.each<[string, object]>([
  ['', {}],
  [
    'name=Spring+launch&start_time=2026-05-01%2019:30:00',
    { name: 'Spring launch', start_time: '2026-05-01 19:30:00' },
  ],
  ['banner=', { banner: '' }],
  ['ids=7&ids=8', { ids: ['7', '8'] }],
  ['name=100%', { name: '100%' }],
  ['name=名', { name: '名' }],
  ['{}', {}],
  [' [ ] ', {}],
])('%j is read as JSON would be', async (text, fields) => {
  expect(await readFormBody(form(text), 60_000)).toEqual(fields as Record<string, unknown>);
});

test('a name of the language is a field like any other', async () => {
  const fields = await readFormBody(form('__proto__=1&__proto__=2'), 60_000);
  expect(Object.keys(fields)).toEqual(['__proto__']);
});

test.each<[string, string | Uint8Array<ArrayBuffer>, string, string]>([
  [
    'too many fields',
    'a=1&'.repeat(100),
    formType,
    'The form must have at most 100 parameters (got 101)',
  ],
  ['broken escapes', 'name=%FF', formType, 'The form is not valid UTF-8'],
  ['broken bytes', Uint8Array.of(0x61, 0x3d, 0xff), formType, 'The form is not valid UTF-8'],
  [
    'JSON in it',
    '{"name":"x & y"}',
    formType,
    `The body was read as a form (${formType}), and looks like JSON: send Content-Type: application/json`,
  ],
  [
    'another charset',
    'a=1',
    `${formType}; charset=gbk`,
    `A form must be in UTF-8 (got ${formType}; charset=gbk)`,
  ],
])('one with %s is refused', async (_, text, type, message) => {
  const error = await readFormBody(form(text, type), 60_000).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect((error as ApiError).message).toBe(message);
});

test('it has the bound of every body', async () => {
  const error = await readFormBody(form('a'.repeat(bodyBytesMax + 1)), 60_000).catch(
    (error: unknown) => error,
  );
  expect(error).toBeInstanceOf(BodyRefusal);
});

function form(body: string | Uint8Array<ArrayBuffer>, type = formType): Request {
  return new Request('http://a/', { method: 'POST', headers: { 'content-type': type }, body });
}
