// Prints where the program of Bun is, for the build of the image.
import { fileURLToPath } from 'node:url';
import { findBun, isMuslHere } from '../../bin/bun-program.js';

const { platform, arch } = process;
const from = fileURLToPath(new URL('../../bin/footlight.js', import.meta.url));
const { file, problem } = findBun({ from, platform, arch, isMusl: isMuslHere() });
if (file === undefined) throw new Error(problem);
console.log(file);
