// What `/openapi.json` says of the channel operations.
import * as z from 'zod';
import { linksAnswer, metaFields } from '../../base/api/paging.ts';
import { docs } from '../../base/api/route.ts';
import type { Zone } from '../../base/lib/time.ts';
import { channelAnswer, channelsPerPage, listedFields } from './channel.ts';
import { channelExample } from './channel-example.ts';
import type { PageFields } from './page.ts';

export function channelDocs(zone: Zone, page: PageFields) {
  const example = channelExample(zone, page);
  const brief = briefChannel(zone, page);
  const whole = {
    answer: channelAnswer(page.whole.answer).meta({ title: 'ChannelWithWholePage' }),
    example: example.whole,
  };
  const listedAnswer = channelAnswer(page.brief.answer)
    .extend(listedFields)
    .meta({ title: 'ListedChannel' });
  return {
    listChannels: docs({
      summary: 'List channels, newest first',
      note: `A page has ${channelsPerPage} of them; \`perPage\` is no parameter of this list.`,
      answer: z
        .object({
          activities: z.array(listedAnswer),
          meta: z.object(metaFields),
          links: linksAnswer,
        })
        .meta({ title: 'ChannelList' }),
      example: {
        activities: [example.listed],
        meta: { total: 1, page: 1, current: 1 },
        links: { next_url: null, end_url: 'https://live.example.com/v1/activities?p=1' },
      },
    }),
    createChannel: docs({
      summary: 'Create a channel',
      ...brief,
      errors: ['noPermission', 'noUser', 'noChannel'],
      requestHeaders: {
        'Idempotency-Key':
          'a second create with the same key within 24 hours answers the first one’s channel; 404 where that is deleted',
      },
    }),
    getChannel: docs({ summary: 'Get a channel', ...brief }),
    renameChannel: docs({ summary: 'Rename a channel', ...brief }),
    changeChannelPage: docs({
      summary:
        'Change the settings of the viewing page; fields that are not named stay as they are',
      ...whole,
    }),
    rotatePublishKey: docs({
      summary: 'Give a channel a new publish key; a push with the old one is cut within 5 seconds',
      ...brief,
    }),
  };
}

/** One channel as most operations answer it. */
export function briefChannel(zone: Zone, page: PageFields) {
  return {
    answer: channelAnswer(page.brief.answer).meta({ title: 'Channel' }),
    example: channelExample(zone, page).brief,
  };
}
