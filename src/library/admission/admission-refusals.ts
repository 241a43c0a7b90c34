// Why somebody is not let in: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const admissionRefusals = {
  wrong: 'What was typed to be let in was wrong',
  network: 'Its network was wrong, or registered, too often at one channel or video',
  door: 'At one channel or video very many were wrong, or registered, and its network was among them',
  full: 'As many have registered for one channel or video as may',
  busy: 'As many passwords wait to be checked as may, or its share of them',
} as const;

export type AdmissionBook = RefusalBook<keyof typeof admissionRefusals>;
