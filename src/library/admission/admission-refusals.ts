// Why somebody is not let in: what is counted, and what it means to an operator.
import type { RefusalBook } from '../../base/peers/refusals.ts';

export const admissionRefusals = {
  wrong: 'What was typed to be let in was wrong',
  network: 'Its network was wrong too often at one channel or video',
  door: 'One channel or video was tried too often with what was wrong, and its network had been wrong there before',
  busy: 'As many passwords wait to be checked as may, or its share of them',
} as const;

export type AdmissionBook = RefusalBook<keyof typeof admissionRefusals>;
