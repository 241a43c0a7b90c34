import { expect, test } from 'bun:test';
import { nodeLog } from './node-log.ts';

function logged(): { time: { ms: number }; lines: string[]; write(text: string): void } {
  const time = { ms: 0 };
  const lines: string[] = [];
  const { write } = nodeLog('node-1', {
    say: (line) => lines.push(line),
    monotonicMs: () => time.ms,
  });
  return { time, lines, write };
}

test('a line says what the service says, with the name of its node, however it comes in', () => {
  const { lines, write } = logged();
  write('{"time":"now","level":"warn","message":"no link","node":"node-2","tri');
  write('es":3}\nnot JSON\n');
  expect(lines).toEqual(['node-1  warn  no link  node=node-2  tries=3', 'node-1  not JSON']);
});

test('requests are not shown', () => {
  const { lines, write } = logged();
  write('{"time":"now","level":"info","message":"request","path":"/readyz"}\n');
  expect(lines).toEqual([]);
});

test('what is too much is counted, and what is too long is cut', () => {
  const { time, lines, write } = logged();
  write('a line\n'.repeat(1_000));
  expect(lines).toHaveLength(20);
  time.ms = 1_000;
  write(`${'x'.repeat(10_000)}\n`);
  expect(lines[20]).toBe('node-1  … and 980 more lines');
  expect(lines[21]?.length).toBeLessThan(500);
  write('y'.repeat(10_000));
  write('z\n');
  expect(lines[22]).toEndWith('y…');
});
