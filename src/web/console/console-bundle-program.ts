// The program that bundles the console's scripts and style, to the file that is named or to whoever runs it; then it ends.
import { bundleTo } from '../pages/bundle.ts';
import { consoleEntries } from './console-entries.ts';

await bundleTo(process.argv[2], consoleEntries);
