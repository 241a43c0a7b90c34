// Other words for what the pages of `/docs` are about: those that people type who do not know ours.

/** By address, as the search leads to it. What stands in the title or in the text is not said again. */
export const otherWords: Readonly<Record<string, string>> = {
  '/docs/guides/first-show': 'quick start getting started tutorial hello world',
  '/docs/guides/obs': 'ingest stream key rtmp server ffmpeg vmix go live',
  '/docs/guides/obs#the-key': 'stream key rotate reset leaked',
  '/docs/guides/obs#when-it-does-not-work': 'troubleshooting error cannot connect',
  '/docs/guides/watch-page': 'player page branding theme landing page',
  '/docs/guides/watch-page#the-player-in-your-own-page': 'iframe embed embedding widget website',
  '/docs/guides/watch-page#what-counts-as-watching': 'watch time metrics definition',
  '/docs/guides/running-a-show': 'dashboard control room go live',
  '/docs/guides/running-a-show#the-chat': 'moderation moderate block spam comments',
  '/docs/guides/channels-and-videos': 'vod recordings delete undelete trash',
  '/docs/guides/channels-and-videos#uploads': 'upload file import mp4 tus vod',
  '/docs/guides/channels-and-videos#captions': 'subtitles closed cc webvtt srt 字幕',
  '/docs/guides/calling': 'api rest http json reference authentication',
  '/docs/guides/calling#the-token':
    'api key bearer authentication authorization login credentials 401',
  '/docs/guides/calling#pages-of-lists': 'pagination paging cursor offset limit page size',
  '/docs/guides/calling#from-a-page-in-a-browser-cors':
    'cross-origin origin ajax fetch javascript frontend preflight access-control-allow-origin',
  '/docs/guides/calling#limits-and-trying-again':
    'rate limit rate limiting quota throttling 429 retry backoff idempotency',
  '/docs/guides/typescript-client': 'sdk library npm package javascript node nodejs deno',
  '/docs/guides/who-may-watch':
    'access password protect private restrict gate paywall invite token auth signed url login members only 密码 权限 白名单 观看限制',
  '/docs/guides/your-own-users':
    'sso single sign on sign-on login log in users authentication auth identity saml oauth jwt user id',
  '/docs/guides/your-own-users#2-make-the-link':
    'hmac sha256 signature signed url jwt sso login users',
  '/docs/guides/your-own-users#when-the-name-does-not-appear':
    'wrong invalid signature expired link debug not working',
  '/docs/guides/webhooks-and-events': 'callback notification notify hook sse push real-time',
  '/docs/guides/webhooks-and-events#receive-it':
    'verify hmac signature sha256 check callback endpoint handler secret',
  '/docs/guides/webhooks-and-events#try-it-on-your-own-machine': 'localhost development test ngrok',
  '/docs/guides/webhooks-and-events#order-and-what-is-tried-again': 'retry retries backoff failed',
  '/docs/guides/exporting': 'download report analytics statistics excel spreadsheet attendance bi',
  '/docs/guides/exporting#one-show': 'attendance attendees participants people list',
  '/docs/guides/history': 'import migrate migration old platform',
  '/docs/guides/production': 'deploy deployment install server hosting docker kubernetes',
  '/docs/guides/production#containers': 'docker compose image kubernetes',
  '/docs/guides/production#https':
    'tls ssl certificate letsencrypt reverse proxy nginx caddy domain',
  '/docs/guides/production#what-to-watch': 'monitoring prometheus metrics alerts grafana health',
  '/docs/guides/people-and-access':
    'users roles permissions admin login password team tenants rbac',
  '/docs/guides/people-and-access#who-did-what': 'audit log history compliance',
  '/docs/guides/privacy': 'gdpr dsgvo pipl personal data protection retention compliance',
  '/docs/guides/privacy#a-viewer-wants-their-data': 'gdpr access request export user data subject',
  '/docs/guides/privacy#a-viewer-wants-to-be-forgotten':
    'gdpr delete user remove user erase erasure personal data',
  '/docs/guides/backup': 'dump snapshot disaster recovery move server migrate drill',
  '/docs/guides/upgrading': 'update version migration rollback downgrade',
  '/docs/guides/several-nodes':
    'cluster scale scaling high availability load balancer capacity cdn',
  '/docs/guides/settings': 'environment variables env configuration config options',
  '/docs/guides/settings#TIME_ZONE': 'timezone tz utc local time',
  '/docs/guides/commands': 'cli command line terminal shell',
  '/docs/channels#createChannel': 'new stream event room activity',
  '/docs/channels#rotatePublishKey': 'stream key rotate-key reset regenerate change leaked',
  '/docs/channels#changeChannelPage': 'branding logo theme colour color banner',
  '/docs/chat#muteViewer': 'user silence block moderation',
  '/docs/chat#banViewer': 'user block kick moderation',
  '/docs/live#listPresent': 'online viewers concurrent current audience who is watching',
  '/docs/live#getPicture': 'thumbnail snapshot screenshot',
  '/docs/live#getChannelLive': 'status stream health bitrate concurrent viewers',
  '/docs/shows#exportShowPeople': 'attendance attendees participants',
  '/docs/audience#getViewerSecret': 'sso hmac signing key',
  '/docs/audience#eraseViewer': 'gdpr delete user remove user erasure forget personal data',
  '/docs/audience#exportViewer': 'gdpr access request user data subject',
  '/docs/audience#getWatchRecords': 'sessions watch time attendance history',
  '/docs/videos#makeClip': 'highlight trim cut',
  '/docs/uploads#beginUpload': 'vod file mp4 tus',
  '/docs/webhooks#createWebhook': 'callback register subscribe',
  '/docs/people#invitePerson': 'add user team member',
  '/docs/people#removePerson': 'delete user',
  '/docs/people#signIn': 'login log in password',
  '/docs/account#createToken': 'api key credentials',
  '/docs/account#listAudit': 'audit log history compliance',
};
