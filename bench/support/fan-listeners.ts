// Opens many sockets to a port, counts what each hears, and says how much it was when all have heard all.
const [port, sockets, lines] = process.argv.slice(2).map(Number) as [number, number, number];
const all = Promise.withResolvers<void>();
let heard = 0;
for (let n = 0; n < sockets; n += 1) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket.onmessage = () => {
    heard += 1;
    if (heard === sockets * lines) all.resolve();
  };
  // Not all at once: the system's queue of those who connect is short.
  if (n % 100 === 99) await new Promise((opened) => socket.addEventListener('open', opened));
}
await all.promise;
await Bun.write(Bun.stdout, String(heard));
process.exit(0);

export {};
