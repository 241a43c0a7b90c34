// A sentence about a problem, with the service's own words behind it where it needs them.
import type { Sentence } from '../problem-text.ts';

export function ProblemWords({ said }: { said: Sentence }) {
  if (typeof said === 'string') return <>{said}</>;
  return (
    <>
      {said.text} <q lang="en">{said.english}</q>
    </>
  );
}
