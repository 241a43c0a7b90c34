// What bun-program.js gives: the tests are TypeScript, and `bin/` is what Node runs as it is.
export interface Machine {
  platform: string;
  arch: string;
  isMusl: boolean;
}

export function findBun(
  order: Machine & { from: string },
): { file: string; problem?: undefined } | { file?: undefined; problem: string };

export function isMuslHere(): boolean;
