// Of many those with the largest number, without sorting the others.

export class Longest<T> {
  private readonly numbers: number[] = [];
  private readonly all: T[] = [];

  add(number: number, one: T): void {
    this.numbers.push(number);
    this.all.push(one);
  }

  most(count: number): T[] {
    const least = Float64Array.from(this.numbers).sort().at(-count) ?? 0;
    return this.numbers
      .map((number, at) => ({ number, at }))
      .filter(({ number }) => number >= least)
      .sort((a, b) => b.number - a.number || a.at - b.at)
      .slice(0, count)
      .flatMap(({ at }) => this.all[at] ?? []);
  }
}
