// The program that bundles the pages' scripts and style, to the file that is named or to whoever runs it; then it ends.
import { bundleTo } from './bundle.ts';
import { pageEntries } from './page-entries.ts';

await bundleTo(process.argv[2], pageEntries);
