// The script of the frame in which a watch page is shown that is not saved yet: it shows, and does nothing else.
import { Countdown } from '../../pages/client/countdown.ts';
import { hideNotStarted, readPageData } from '../../pages/client/page-elements.ts';
import { serviceClock } from '../../pages/client/service-clock.ts';
import type { WatchData } from '../../pages/page-data.ts';
import { isMessage, type PreviewMessage, type PreviewReady } from './preview-message.ts';

const colours = new CSSStyleSheet();
document.adoptedStyleSheets = [colours];
let countdown: Countdown | undefined;

addEventListener('message', ({ origin, source, data }: MessageEvent<unknown>) => {
  const isOurs = origin === location.origin && source === parent;
  if (isOurs && isMessage<PreviewMessage>(data, 'footlight-preview')) show(data);
});

const ready: PreviewReady = { type: 'footlight-preview-ready' };
parent.postMessage(ready, location.origin);

/** Nothing of it is loaded anew, so nothing flashes. Scripts of a document that was parsed do not run. */
function show({ html, scheme }: PreviewMessage): void {
  // Out of the document first: the policy of this page is that of the one which is parsed here, too.
  const [element = '', style = ''] = /<style[^>]*>([^<]*)<\/style>/.exec(html) ?? [];
  const page = new DOMParser().parseFromString(html.replace(element, ''), 'text/html');
  colours.replaceSync(style);
  for (const rule of colours.cssRules)
    if (rule instanceof CSSMediaRule) rule.media.mediaText = scheme === 'dark' ? 'all' : 'not all';
  const { documentElement: root, body } = document;
  root.lang = page.documentElement.lang;
  root.dataset['theme'] = page.documentElement.dataset['theme'] ?? '';
  body.className = page.body.className;
  body.dataset['state'] = page.body.dataset['state'] ?? '';
  body.dataset['shape'] = page.body.dataset['shape'] ?? '';
  body.inert = true;
  countdown?.stop();
  body.replaceChildren(...page.body.childNodes);
  hideNotStarted();
  const data = readPageData<WatchData>();
  countdown = new Countdown(data, serviceClock(data.now));
}
