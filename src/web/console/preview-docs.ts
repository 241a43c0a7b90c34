// What `/openapi.json` says of the preview of a watch page.
import * as z from 'zod';
import { docs } from '../../base/api/route.ts';
import type { PageFields } from '../../library/channels/page.ts';

export function previewDocs(page: PageFields) {
  return {
    previewPage: docs({
      summary: 'Make the viewing page of a channel with other settings, of which nothing is kept',
      note: 'Fields that are not named are as they are saved, so an empty body shows the page as it is. The page makes no audience session.',
      answer: z
        .object({
          page: page.whole.answer.meta({ description: 'the settings that the page was made with' }),
          html: z.string().meta({ description: 'the page, a whole HTML document' }),
        })
        .meta({ title: 'PagePreview' }),
      example: {
        page: page.whole.show('{"footer":"© 2026 Example Ltd."}'),
        html: '<!doctype html><html lang="en" data-theme="default">…</html>',
      },
    }),
  };
}
