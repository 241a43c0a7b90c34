// `footlight node rotate-secret`: what an operator does to the nodes on a database.
import { rotateLinkSecret } from '../../base/links/link-secret-store.ts';
import { type Command, command } from '../parts/command.ts';
import { withStore } from '../parts/command-database.ts';

export const nodeCommands: readonly Command[] = [
  command({
    name: 'node rotate-secret',
    audit: 'service',
    sentence:
      'Make a new secret for the links between nodes. The one before stays good, so that no link is lost; done twice, a minute apart, it is good no more.',
    run: async (_, run) => {
      await withStore(run, (store) => store.perform(rotateLinkSecret, {}));
      await run.out.thing({ rotated: true });
    },
  }),
];
