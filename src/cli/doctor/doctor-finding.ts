// What the doctor found: a check, how it came out, and what to do about it.

export const findingStates = ['ok', 'warning', 'failed'] as const;

export interface Finding {
  check: string;
  state: (typeof findingStates)[number];
  says: string;
  /** A sentence; empty where nothing is to be done. */
  remedy: string;
}

/** A check that tells its findings under one name. */
export function findings(check: string) {
  const finding = (state: Finding['state'], says: string, remedy = ''): Finding => ({
    ...{ check, state, says, remedy },
  });
  return {
    ok: (says: string) => finding('ok', says),
    warning: (says: string, remedy: string) => finding('warning', says, remedy),
    failed: (says: string, remedy: string) => finding('failed', says, remedy),
  };
}

/** What could not even be looked at is a finding too. */
export async function looked(check: string, look: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await look();
  } catch (error) {
    const { message } = error as Error;
    return [findings(check).failed(message, 'See the message; it came while this was looked at.')];
  }
}

/** The one in the middle. */
export function middleOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

export function msText(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
