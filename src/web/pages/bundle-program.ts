// The program of the short-lived process that bundles: one line on stdout, then it ends.
import { makeBundle, toLine } from './bundle.ts';
import { pageEntries } from './page-entries.ts';

await Bun.write(Bun.stdout, toLine(await makeBundle(pageEntries)));
