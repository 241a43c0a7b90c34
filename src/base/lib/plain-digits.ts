// Digits and signs of numbers as programs read them, in whatever script somebody typed them.

/** Wide forms, digits of any script, and what looks like a minus or a hyphen, are what ASCII has for them. */
export function plainDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, digitOf)
    .replace(/[\p{Pd}\u2212]/gu, '-')
    .replaceAll('\u066B', '.');
}

/** Those of a script follow one another, from 0 to 9, and so may scripts. */
function digitOf(digit: string): string {
  const point = digit.codePointAt(0) ?? 0;
  let value = 0;
  while (isDigit(point - value - 1)) value += 1;
  return `${value % 10}`;
}

function isDigit(point: number): boolean {
  return /^\p{Nd}$/u.test(String.fromCodePoint(point));
}
