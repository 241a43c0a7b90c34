// The script of a door in a frame: whoever came in before and is known by the browser alone goes in again.
import { keptPass } from './kept-pass.ts';

const kept = keptPass();
const address = new URL(location.href);
if (address.searchParams.has('pass')) {
  // It did not open the door.
  kept.keep('');
} else {
  const pass = kept.read() ?? '';
  address.searchParams.set('pass', pass);
  if (pass !== '') location.replace(address);
}
