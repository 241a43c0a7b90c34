// Settings of how many QR codes may be made for pages.
import { type QrBounds, qrBounds } from '../web/pages/qr-limits.ts';
import { type SettingsOf, whole } from './setting.ts';

export const qrSettings: SettingsOf<QrBounds> = {
  perSecond: {
    variable: 'QR_CODES_PER_SECOND',
    default: String(qrBounds.perSecond),
    sentence:
      'QR codes of addresses that nobody has asked for before, a second, and ten times as many at once; a page beyond comes without.',
    read: whole(1, 10_000),
  },
  perNetwork: {
    variable: 'QR_CODES_PER_NETWORK',
    default: String(qrBounds.perNetwork),
    sentence: "Of these one network's, a minute; a third of them at once.",
    read: whole(1, 1_000_000),
  },
};
