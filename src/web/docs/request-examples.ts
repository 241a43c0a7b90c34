// One request as programs write it: curl, TypeScript with our client, Python with its standard library.
import type { Json, Operation } from '../../base/api/openapi.ts';

export interface ListedOperation {
  path: string;
  /** As HTTP writes it. */
  method: string;
  operation: Operation;
  /** Whether it changes something. */
  isWrite: boolean;
}

export const languages = ['curl', 'typescript', 'python'] as const;
export type Language = (typeof languages)[number];
export const languageNames: Record<Language, string> = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
};

/** `url` is where the service is. */
export function requestExamples(one: ListedOperation, url: string): Record<Language, string> {
  const given = { ...exampleOf(one), url };
  return { curl: curl(given), typescript: typescript(given), python: python(given) };
}

/** By its media type; undefined where there is nothing but headers. */
export function answerOf({ responses }: Operation) {
  const [status = '200', made] =
    Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
  const [type, content] = Object.entries(made?.content ?? {})[0] ?? [];
  return { status, type, schema: content?.['schema'] as Json | undefined, made, content };
}

/** Most take a token; anyone may sign in, and people have the cookie that they got for it. */
export function credentialOf({ security }: Operation): 'token' | 'none' | 'cookie' {
  if (!security) return 'token';
  return security.length === 0 ? 'none' : 'cookie';
}

interface Example {
  path: string;
  method: string;
  params: Json;
  query: Json;
  headers: Record<string, string>;
  body: Json | undefined;
  /** Of a file that is sent. */
  fileType: string | undefined;
  answerType: string | undefined;
  credential: 'token' | 'none' | 'cookie';
  /** Whether it is a list of pages that may be read to its end. */
  hasPages: boolean;
}

type Given = Example & { url: string };

function exampleOf({ path, method, operation }: ListedOperation): Example {
  const { parameters, requestBody } = operation;
  const json = requestBody?.content['application/json'];
  const { type, made } = answerOf(operation);
  const of = (place: string) => parameters.filter((one) => one.in === place);
  const fields = [
    ...of('query').map(({ name }) => name),
    ...Object.keys((json?.schema?.['properties'] ?? {}) as Json),
  ];
  const isCounted = Object.keys(made?.headers ?? {}).includes('RateLimit');
  return {
    path,
    method,
    params: Object.fromEntries(of('path').map(({ name, schema }) => [name, pathValue(schema)])),
    query: Object.fromEntries(
      of('query').flatMap(({ name, schema }) => {
        const [value] = (schema['examples'] ?? []) as unknown[];
        return value === undefined ? [] : [[name, value]];
      }),
    ),
    headers: Object.fromEntries(
      of('header').flatMap(({ name, required, schema }) => {
        const [value] = (schema['enum'] ?? schema['examples'] ?? []) as string[];
        return required && value !== undefined ? [[name, value]] : [];
      }),
    ),
    body: json?.example,
    fileType: Object.keys(requestBody?.content ?? {}).find((one) => one !== 'application/json'),
    answerType: type,
    credential: credentialOf(operation),
    hasPages: !isCounted && fields.some((name) => name === 'p' || name === 'before'),
  };
}

function pathValue(schema: Json): unknown {
  const [example] = (schema['examples'] ?? []) as unknown[];
  if (example !== undefined) return example;
  return schema['type'] === 'integer' ? 1 : '0'.repeat(Number(schema['minLength'] ?? 1));
}

function addressOf({ url, path, params, query }: Given): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(params[name])));
  const asked = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return `${url}${filled}${asked && `?${asked}`}`;
}

function curl(given: Given): string {
  const { method, headers, body, fileType, credential, url } = given;
  const credentials = {
    token: ['-H "Authorization: Bearer $FOOTLIGHT_TOKEN"'],
    none: ['-c cookies.txt'],
    cookie: ['-b cookies.txt', `-H 'Origin: ${url}'`],
  }[credential];
  const lines = [
    // By `-X HEAD` curl would wait for a body.
    { GET: 'curl', HEAD: 'curl -I', POST: body ? 'curl' : 'curl -X POST' }[method] ??
      `curl -X ${method}`,
    ...credentials,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body ? [`-H 'Content-Type: application/json'`, `-d ${inShell(JSON.stringify(body))}`] : []),
    ...(fileType ? [`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileName(fileType)}`] : []),
    inShell(addressOf(given)),
  ];
  return lines.join(' \\\n  ');
}

/** As one word of a shell. */
function inShell(text: string): string {
  return /^[\w:/.,=%@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function fileName(type: string): string {
  if (type === 'text/vtt') return 'talk.en.vtt';
  return type.startsWith('image/') ? `logo.${type.slice('image/'.length)}` : 'show.mp4';
}

function typescript(given: Given): string {
  const { method, answerType, credential, url } = given;
  const isPlain = !['GET', 'POST', 'PUT', 'DELETE'].includes(method) || isUnread(given);
  if (isPlain) return plainFetch(given);
  const options =
    credential === 'token'
      ? `{\n  baseUrl: '${url}',\n  token: ${tokenOfReader},\n}`
      : `{ baseUrl: '${url}' }`;
  const where =
    credential === 'cookie' ? '// In a page of this service: the browser sends the cookie.\n' : '';
  const file = given.fileType ? "import { readFile } from 'node:fs/promises';\n" : '';
  const head = `${file}import { createClient } from 'footlight-client';\n\n${where}const footlight = createClient(${options});\n`;
  const words = `'${given.path}'${initOf(given)}`;
  if (answerType === 'text/event-stream')
    return `${head}for await (const event of footlight.events()) console.log(event);`;
  if (answerType === 'application/x-ndjson')
    return `${head}for await (const row of footlight.lines(${words})) console.log(row);`;
  if (answerType !== 'application/json' && answerType !== undefined)
    return `${head}const answer = await footlight.download(${words});\n${streamed(answerType)}`;
  if (given.hasPages)
    return `${head}for await (const row of footlight.rows(${words})) console.log(row);`;
  const call = `await footlight.${method}(${words})`;
  return answerType === undefined
    ? `${head}const { response } = ${call};\nconsole.log(response.headers);`
    : `${head}const { data } = ${call};\nconsole.log(data);`;
}

/** Where whoever copies an example has their token; nothing here reads an environment. */
const tokenOfReader = `${'process'}.env['FOOTLIGHT_TOKEN']`;

/** Rows by POST are not what the client reads line by line. */
function isUnread({ method, answerType }: Given): boolean {
  return method !== 'GET' && answerType !== undefined && answerType !== 'application/json';
}

function streamed(type: string): string {
  if (type.startsWith('text/')) return 'console.log(await answer.text());';
  return 'console.log((await answer.arrayBuffer()).byteLength);';
}

/** What follows the path in a call of the client. */
function initOf({ params, query, headers, body, fileType }: Given): string {
  const part = (name: string, values: Json) =>
    Object.keys(values).length > 0 ? [[name, values]] : [];
  const inParams = Object.fromEntries([
    ...part('path', params),
    ...part('query', query),
    ...part('header', headers),
  ]);
  const init = [
    ...(Object.keys(inParams).length > 0 ? [`params: ${inScript(inParams)}`] : []),
    ...(body ? [`body: ${inScript(body)}`] : []),
    ...(fileType
      ? [`body: new Blob([await readFile('${fileName(fileType)}')], { type: '${fileType}' })`]
      : []),
  ];
  if (init.length === 0) return '';
  const line = `, { ${init.join(', ')} }`;
  return line.length + 40 <= lineMax && !line.includes('\n')
    ? line
    : `, {\n${init.map((one) => indented(`${one},`)).join('\n')}\n}`;
}

function plainFetch(given: Given): string {
  const { method, headers, body, fileType, answerType } = given;
  const all = {
    ...headers,
    ...(body && { 'Content-Type': 'application/json' }),
    ...(fileType && { 'Content-Type': fileType }),
  };
  const shown = Object.entries(all).map(([name, value]) => `    '${name}': '${value}',`);
  const lines = [
    ...(fileType ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const answer = await fetch('${addressOf(given)}', {`,
    `  method: '${method}',`,
    '  headers: {',
    `    Authorization: \`Bearer \${${tokenOfReader}}\`,`,
    ...shown,
    '  },',
    ...(body ? [`  body: JSON.stringify(${inScript(body)}),`] : []),
    ...(fileType ? [`  body: await readFile('${fileName(fileType)}'),`] : []),
    '});',
    `console.log(answer.status, ${answerType ? 'await answer.text()' : 'answer.headers'});`,
  ];
  return lines.join('\n');
}

function python(given: Given): string {
  const { method, headers, body, fileType, answerType, credential, url } = given;
  const credentials: [string, string][] = {
    token: [['Authorization', `f"Bearer {os.environ['FOOTLIGHT_TOKEN']}"`] as [string, string]],
    none: [],
    cookie: [
      ['Cookie', `os.environ["FOOTLIGHT_COOKIE"]`] as [string, string],
      ['Origin', JSON.stringify(url)] as [string, string],
    ],
  }[credential];
  const all = [
    ...credentials,
    ...Object.entries(headers).map(([name, value]) => [name, JSON.stringify(value)]),
    ...(body ? [['Content-Type', '"application/json"']] : []),
    ...(fileType ? [['Content-Type', JSON.stringify(fileType)]] : []),
  ];
  const modules = [
    ...(body || answerType === 'application/json' || answerType === 'application/x-ndjson'
      ? ['json']
      : []),
    ...(credential === 'none' ? [] : ['os']),
    'urllib.request',
  ];
  const lines = [
    `import ${modules.join(', ')}`,
    '',
    'request = urllib.request.Request(',
    `    ${JSON.stringify(addressOf(given))},`,
    `    method="${method}",`,
    ...(all.length > 0
      ? ['    headers={', ...all.map(([name, value]) => `        "${name}": ${value},`), '    },']
      : []),
    ...(body ? [`    data=json.dumps(${inPython(body)}).encode(),`] : []),
    ...(fileType ? [`    data=open("${fileName(fileType)}", "rb"),`] : []),
    ')',
    'with urllib.request.urlopen(request) as answer:',
    ...pythonAnswer(given),
  ];
  return lines.join('\n');
}

function pythonAnswer({ answerType, credential }: Given): string[] {
  const cookie = credential === 'none' ? ['    print(answer.headers["Set-Cookie"])'] : [];
  switch (answerType) {
    case undefined:
      return ['    print(answer.status, answer.headers)'];
    case 'application/json':
      return [...cookie, '    print(json.load(answer))'];
    case 'application/x-ndjson':
      return ['    for line in answer:', '        print(json.loads(line))'];
    case 'image/jpeg':
      return ['    with open("picture.jpg", "wb") as file:', '        file.write(answer.read())'];
    default:
      return ['    for line in answer:', '        print(line.decode().rstrip())'];
  }
}

/** Examples stand in a column of some sixty characters. */
const lineMax = 84;

/** A value as TypeScript writes it. */
function inScript(value: unknown): string {
  if (typeof value === 'string') return inQuotes(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inScript).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([name, one]) => `${/^\w+$/.test(name) ? name : inQuotes(name)}: ${inScript(one)}`,
  );
  return inBraces(fields, '  ');
}

function inQuotes(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function inPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inPython).join(', ')}]`;
  const fields = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${inPython(one)}`,
  );
  const line = `{${fields.join(', ')}}`;
  return line.length <= lineMax - 30
    ? line
    : `{\n${fields.map((one) => `        ${one},`).join('\n')}\n    }`;
}

/** On one line where that is short. */
function inBraces(fields: readonly string[], indent: string): string {
  const line = `{ ${fields.join(', ')} }`;
  if (line.length <= lineMax - 30 && !line.includes('\n')) return line;
  return `{\n${fields.map((one) => `${indent}${one.replaceAll('\n', `\n${indent}`)},`).join('\n')}\n}`;
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}
