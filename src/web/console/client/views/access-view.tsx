// Who may watch a channel: the kind, what lets people in, links that play, and taking them back.
import { AccessCodes } from '../parts/access-codes.tsx';
import { AccessForm } from '../parts/access-form.tsx';
import { AccessLinks } from '../parts/access-links.tsx';
import { AccessRegistrations } from '../parts/access-registrations.tsx';
import { ProblemState } from '../parts/problem-state.tsx';
import { Skeleton } from '../parts/skeleton.tsx';
import type { Access } from '../service-answers.ts';
import { useAnswer } from '../use-answer.ts';

/** `thing`: a channel's or a video's path; `channel`: whose viewers can be shown. */
export function AccessView(props: { thing: string; channel?: number; isVideo?: boolean }) {
  const { thing, channel, isVideo = false } = props;
  const { value: access, problem, reload, set } = useAnswer<Access>(`${thing}/access`);
  if (problem && !access) return <ProblemState problem={problem} onRetry={reload} />;
  if (!access)
    return (
      <div class="card panel" aria-busy="true">
        <Skeleton width={20} />
      </div>
    );
  const given = { thing, access, onChanged: set };
  // Of a video that goes by its channel codes and links are the channel's.
  const hasOwn = !access.of_channel;
  return (
    <div class="access">
      <AccessForm key={access.kind} {...given} isVideo={isVideo} />
      {hasOwn && access.kind === 'codes' && <AccessCodes thing={thing} />}
      {hasOwn && access.form.length > 0 && (
        <AccessRegistrations thing={thing} channel={channel} form={access.form} />
      )}
      {access.kind !== 'open' && <AccessLinks {...given} hasEnd={hasOwn} />}
    </div>
  );
}
