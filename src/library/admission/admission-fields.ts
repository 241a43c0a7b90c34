// The fields of what is said of who may watch.
import { choice, flag, secretText, textList } from '../../base/api/fields.ts';
import { admissionKinds } from './admission.ts';
import { admissionLimits } from './admission-limits.ts';
import { formField } from './registration-form-reader.ts';

const { passwordCharactersMin: min, passwordCharactersMax: max } = admissionLimits;

export const channelKindField = choice('who may watch', { of: admissionKinds, cleared: 'open' });

/** A video goes by its channel unless it has a word of its own. */
export const videoKindField = choice('who may watch; `channel`: whoever may watch its channel', {
  of: ['channel', ...admissionKinds],
  cleared: 'channel',
});

/** What goes with a kind. */
export const ruleFields = {
  password: secretText('for `password`: the password; absent: the one that was set before', {
    min,
    max,
    examples: ['spring-2026'],
  }),
  list: textList('for `list`: uids or phones that may watch; absent: as they were set before', {
    countMax: admissionLimits.listedMax,
    max: admissionLimits.listedCharactersMax,
    examples: ['u-1029', '13800000000'],
  }),
  form: formField('for `form`: what is asked of whoever registers; absent: as it was set before'),
  show_cover: flag('whether whoever may not watch is shown the cover', { cleared: true }),
};
