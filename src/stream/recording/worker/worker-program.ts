// What every worker program does: one order from stdin, one answer to stdout, at low priority.
import { giveWay, goFirst } from '../../../base/lib/priority.ts';

export async function answerOneOrder<Order>(
  answer: (order: Order) => Promise<object>,
): Promise<never> {
  giveWay();
  goFirst();
  // Only the owner may read the files it makes, as all of the data folder.
  process.umask(0o077);
  const answered = await answer(await orderFrom<Order>(process.stdin));
  await Bun.write(Bun.stdout, `${JSON.stringify(answered)}\n`);
  process.exit(0);
}

/** The service keeps stdin open for as long as it lives: without it nobody waits for the answer. */
function orderFrom<Order>(stdin: NodeJS.ReadStream): Promise<Order> {
  let text = '';
  return new Promise((resolve) => {
    stdin.setEncoding('utf8');
    stdin.on('data', (piece: string) => {
      text += piece;
      const end = text.indexOf('\n');
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)) as Order);
    });
    stdin.on('end', () => process.exit(1));
  });
}
