// Apps that show pages in a browser of their own, and players, by what they write into the user agent.

/** The name; undefined for ordinary browsers. */
export function appOf(userAgent: string): string | undefined {
  return apps.find(({ pattern }) => pattern.test(userAgent))?.name;
}

/** The first that matches counts: WeCom calls itself WeChat too, and QQ is made of QQ Browser. */
const apps: readonly { name: string; pattern: RegExp }[] = [
  // Apps.
  { name: 'WeCom', pattern: /\bwxwork\//i },
  { name: 'WeChat', pattern: /MicroMessenger|\bWeixin\b/i },
  { name: 'DingTalk', pattern: /DingTalk/i },
  { name: 'QQ', pattern: /\b(?:iPad)?QQ\/|V1_(?:AND|IPH)_SQ|\bQzone\//i },
  { name: 'QQ Browser', pattern: /M?QQBrowser/i },
  { name: 'Weibo', pattern: /__weibo__|\bWeibo\b/i },
  { name: 'Alipay', pattern: /AlipayClient/i },
  { name: 'Taobao', pattern: /AliApp\((?:TB|TM)\b/i },
  { name: 'Feishu', pattern: /\b(?:Lark|Feishu)\//i },
  { name: 'Douyin', pattern: /\baweme\b|\baweme_|Douyin/i },
  { name: 'TikTok', pattern: /musical_ly|\bTikTok\b|\btrill_/i },
  { name: 'Kuaishou', pattern: /\bKwai\b|ksNebula|Kuaishou/i },
  { name: 'Xiaohongshu', pattern: /xhsdiscover|XiaoHongShu/i },
  { name: 'Bilibili', pattern: /\bBiliApp\b|\bbili-/i },
  { name: 'Toutiao', pattern: /NewsArticle|\bToutiao/i },
  { name: 'Baidu', pattern: /baiduboxapp|bdbrowser|BIDUBrowser/i },
  { name: 'Quark', pattern: /\bQuark\//i },
  { name: 'Huawei Browser', pattern: /HuaweiBrowser/i },
  { name: '360 Browser', pattern: /QihooBrowser|QHBrowser|\b360SE\b|360EE|harmony360Browser/i },
  { name: 'Facebook', pattern: /\bFBA[NV]\// },
  { name: 'Instagram', pattern: /\bInstagram\b/ },
  { name: 'LINE', pattern: /\bLine\/\d/ },
  { name: 'KakaoTalk', pattern: /KAKAOTALK/i },
  { name: 'Telegram', pattern: /\bTelegram-/i },
  { name: 'LinkedIn', pattern: /\bLinkedInApp\b/i },
  // Players.
  { name: 'VLC', pattern: /\b(?:Lib)?VLC\//i },
  { name: 'ffmpeg', pattern: /\bLavf\/|\bffmpeg\b/i },
  { name: 'mpv', pattern: /\bmpv\b|libmpv/i },
  { name: 'PotPlayer', pattern: /PotPlayer/i },
  { name: 'Kodi', pattern: /\bKodi\//i },
  { name: 'ExoPlayer', pattern: /ExoPlayer|AndroidXMedia3/i },
  { name: 'Apple player', pattern: /AppleCoreMedia/i },
  { name: 'GStreamer', pattern: /GStreamer/i },
  { name: 'OBS', pattern: /\bOBS\/|obs-studio/i },
];
