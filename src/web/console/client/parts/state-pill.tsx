// Whether a channel is on air, is about to be, or is not.
import type { AirState } from '../air-state.ts';
import { useTexts } from '../console-parts.ts';

export function StatePill({ state }: { state: AirState }) {
  const texts = useTexts();
  return (
    <span class="pill" data-state={state}>
      <span class="dot" />
      {texts.states[state]}
    </span>
  );
}
