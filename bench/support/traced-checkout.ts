// A copy of a checkout in which every function that takes something tells what it is handed.
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  type ArrowFunction,
  type Block,
  isArrowFunction,
  isBlock,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isSetAccessorDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';

/** What the calls are named in the copy: no source has such a name. */
const handedName = '__handed';

/**
 * The copy stands in `folder`; only `src/` is copied, the rest is linked, so nothing may be written there. A copy and
 * not a plugin of the runtime: the service's threads read it too.
 */
export async function traceCheckout(checkout: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  cpSync(join(checkout, 'src'), join(folder, 'src'), { recursive: true });
  for (const name of readdirSync(checkout))
    if (name !== 'src') symlinkSync(join(checkout, name), join(folder, name));
  // Not the API that answers at once, though this would read better: it asks for more of Node than Bun has.
  const api = new API({ cwd: checkout });
  try {
    const config = join(checkout, 'tsconfig.json');
    const snapshot = await api.updateSnapshot({ openProjects: [config] });
    const project = snapshot.getProject(config);
    for (const path of project?.rootFiles ?? []) {
      const file = relative(checkout, path);
      if (!file.startsWith('src/') || file.endsWith('.test.ts')) continue;
      const source = await project?.program.getSourceFile(path);
      if (source) writeFileSync(join(folder, file), tracedText(source, file));
    }
  } finally {
    await api.close();
  }
}

/** A text that takes the place of what stands between two others. */
interface Edit {
  from: number;
  to: number;
  text: string;
}

function tracedText(source: SourceFile, file: string): string {
  const edits: Edit[] = [];
  const placeOf = (node: Node) => {
    const line = source.text.slice(0, node.getStart(source)).split('\n').length;
    return JSON.stringify(`${file}:${line}`);
  };
  const visit = (node: Node): void => {
    if (isArrowFunction(node)) edits.push(...arrowEdits(node, source, placeOf(node)));
    const body = bodyOf(node);
    if (body) edits.push(beginning(body, source, `${handedName}(${placeOf(node)}, arguments);`));
    node.forEachChild(visit);
  };
  visit(source);
  const tracer = JSON.stringify(join(import.meta.dir, 'call-trace.ts'));
  // Imports may stand anywhere; at the end it moves no line.
  return `${edited(source.text, edits)}\nimport { handed as ${handedName} } from ${tracer};\n`;
}

/** Of a function that takes something and is no arrow. */
function bodyOf(node: Node): Block | undefined {
  const isFunction =
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node) ||
    isSetAccessorDeclaration(node);
  return isFunction && node.parameters.length > 0 ? (node.body as Block | undefined) : undefined;
}

/** An arrow has no `arguments`: what it takes apart is taken whole first. */
function arrowEdits(arrow: ArrowFunction, source: SourceFile, place: string): Edit[] {
  if (arrow.parameters.length === 0) return [];
  const edits: Edit[] = [];
  const taken: string[] = [];
  const values = arrow.parameters.map(({ name }, index) => {
    const [from, to] = [name.getStart(source), name.end];
    const text = source.text.slice(from, to);
    if (isIdentifier(name)) return text;
    const whole = `__taken${index}`;
    edits.push({ from, to, text: whole });
    taken.push(`let ${text} = ${whole};`);
    return whole;
  });
  const words = `${handedName}(${place}, [${values.join(', ')}]); ${taken.join(' ')}`;
  const { body } = arrow;
  if (isBlock(body)) return [...edits, beginning(body, source, words)];
  const from = body.getStart(source);
  return [
    ...edits,
    { from, to: from, text: `{ ${words} return (` },
    { from: body.end, to: body.end, text: '); }' },
  ];
}

function beginning(body: Block, source: SourceFile, text: string): Edit {
  const from = body.getStart(source) + 1;
  return { from, to: from, text: ` ${text}` };
}

/** From the end, so that no edit moves another's place. */
function edited(text: string, edits: readonly Edit[]): string {
  let left = text;
  for (const { from, to, text: added } of edits.toSorted((a, b) => b.from - a.from))
    left = left.slice(0, from) + added + left.slice(to);
  return left;
}
