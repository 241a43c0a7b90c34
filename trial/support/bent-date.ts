// Preloaded into a service: its machine's clock is wrong by what the trial writes into a shared file.

const RealDate = Date;
const wrongMs = new Float64Array(Bun.mmap(process.env['BENT_CLOCK'] ?? '').buffer);
const now = () => RealDate.now() + (wrongMs[0] ?? 0);

globalThis.Date = new Proxy(RealDate, {
  get: (real, name) => (name === 'now' ? now : Reflect.get(real, name)),
  construct: (real, given, target) =>
    Reflect.construct(real, given.length === 0 ? [now()] : given, target),
});
