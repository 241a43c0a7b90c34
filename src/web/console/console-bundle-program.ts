// The program of the short-lived process that bundles the console: one line on stdout, then it ends.
import { makeBundle, toLine } from '../pages/bundle.ts';
import { consoleEntries } from './console-entries.ts';

await Bun.write(Bun.stdout, toLine(await makeBundle(consoleEntries)));
