// Settings of what is known of viewers, and for how long.
import { flag, type Settings, text, whole } from './setting.ts';

export const audienceSettings = {
  placeFile: {
    variable: 'PLACE_FILE',
    default: '',
    sentence:
      'A GeoIP2-like `.mmdb` file that knows more about where addresses are than the ones that come along: Chinese cities, the countries of the rest. It is held in memory.',
    read: text,
  },
  countDirectPlayers: {
    variable: 'COUNT_DIRECT_PLAYERS',
    default: 'false',
    sentence: 'Whether players without a page of ours, such as VLC, are counted in the records.',
    read: flag,
  },
  audienceRetentionDays: {
    variable: 'AUDIENCE_RETENTION_DAYS',
    default: '0',
    sentence: 'Watch records and visitors older than so many days are removed; 0 keeps them.',
    read: whole(0, 36_500),
  },
  ipRetentionDays: {
    variable: 'IP_RETENTION_DAYS',
    default: '0',
    sentence: 'Addresses of viewers lose their last part after so many days; 0 keeps them whole.',
    read: whole(0, 36_500),
  },
} satisfies Settings;
