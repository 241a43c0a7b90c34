// Real user agents, as browsers, apps, televisions, players and robots send them.
import { describe, expect, test } from 'bun:test';
import { deviceOf, rememberedDevices } from './device.ts';

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const iPhone = (os: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS ${os} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)`;

/** Device, browser, user agent. */
const people: [string, string, string][] = [
  // Desktops.
  [
    'PC',
    'Chrome',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/140.0.0.0 Safari/537.36`,
  ],
  ['PC', 'Chrome', `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/131.0.0.0 Safari/537.36`],
  [
    'PC',
    'Chrome',
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/131.0.0.0 Safari/537.36`,
  ],
  [
    'PC',
    'Edge',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/125.0.0.0 Safari/537.36 Edg/125.0.0.0`,
  ],
  [
    'PC',
    'Firefox',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
  ],
  [
    'PC',
    'Firefox',
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
  ],
  [
    'PC',
    'Opera',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/128.0.0.0 Safari/537.36 OPR/114.0.0.0`,
  ],
  [
    'PC',
    'Vivaldi',
    `Mozilla/5.0 (Windows NT 10.0; WOW64) ${webkit} Chrome/120.0.0.0 Safari/537.36 Vivaldi/6.5.3206.39`,
  ],
  [
    'PC',
    'Yandex Browser',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/124.0.0.0 YaBrowser/24.6.0.0 Safari/537.36`,
  ],
  [
    'PC',
    'Sogou Browser',
    `Mozilla/5.0 (Windows NT 10.0; WOW64) ${webkit} Chrome/78.0.3904.108 Safari/537.36 SE 2.X MetaSr 1.0`,
  ],
  [
    'PC',
    'Internet Explorer',
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  ],
  [
    'PC',
    'QQ Browser',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/123.0.0.0 Safari/537.36 QQBrowser/19.4.5.209`,
  ],
  [
    'PC',
    '360 Browser',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/108.0.5359.95 Safari/537.36 QIHU 360SE`,
  ],
  [
    'Mac',
    'Safari',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.4 Safari/605.1.15',
  ],
  [
    'Mac',
    'Chrome',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/131.0.0.0 Safari/537.36`,
  ],
  [
    'Mac',
    'Firefox',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
  ],
  [
    'Mac',
    'Edge',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${webkit} Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0`,
  ],
  // Desktop programs of Chinese apps.
  [
    'PC',
    'WeChat',
    `Mozilla/5.0 (Windows NT 10.0; WOW64) ${webkit} Chrome/107.0.0.0 Safari/537.36 MicroMessenger/7.0.20.1781(0x6700143B) NetType/WIFI MiniProgramEnv/Windows WindowsWechat/WMPF`,
  ],
  [
    'Mac',
    'WeChat',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) MicroMessenger/6.8.0(0x16080000) MacWechat/3.8.7(0x13080710) Safari/605.1.15 NetType/WIFI',
  ],
  [
    'PC',
    'WeCom',
    `Mozilla/5.0 (Windows NT 10.0; WOW64) ${webkit} Chrome/107.1.12.0 Safari/537.36 Language/zh wxwork/4.1.3 (MicroMessenger/6.2) WindowsWechat  MailPlugin_Electron WeMail embeddisk`,
  ],
  [
    'Mac',
    'WeCom',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Language/zh ColorScheme/Light DistType/publish-website wxwork/4.1.36 (MicroMessenger/6.2) WeChat/2.0.4 wwmver/3.26.36.625 Safari/605.1.15',
  ],
  // iPhone and iPad.
  ['iPhone', 'Safari', `${iPhone('18_4_1')} Version/18.4 Mobile/15E148 Safari/604.1`],
  ['iPhone', 'Chrome', `${iPhone('18_4_1')} CriOS/136.0.7103.91 Mobile/15E148 Safari/604.1`],
  [
    'iPhone',
    'Edge',
    `${iPhone('18_5_0')} EdgiOS/138.0.3351.109 Version/18.0 Mobile/15E148 Safari/604.1`,
  ],
  ['iPhone', 'Firefox', `${iPhone('17_5')} FxiOS/126.0 Mobile/15E148 Safari/605.1.15`],
  [
    'iPhone',
    'WeChat',
    `${iPhone('18_4_1')} Mobile/15E148 MicroMessenger/8.0.59(0x18003b26) NetType/4G Language/zh_CN`,
  ],
  ['iPhone', 'WeCom', `${iPhone('15_0')} wxwork/4.1.0 MicroMessenger/8.0`],
  [
    'iPhone',
    'DingTalk',
    `${iPhone('18_4_1')} Mobile/22E252 AliApp(DingTalk/7.6.60) com.laiwang.DingTalk/45715949 Channel/201200 language/zh-Hans-CN UT4Aplus/0.0.6 WK`,
  ],
  [
    'iPhone',
    'Feishu',
    `${iPhone('18_4_1')} Version/18.4.1 Mobile/15E148 Safari/604.1 Lark/7.15.32 LarkLocale/zh_CN ChannelName/Feishu LKBrowserIdentifier/6DB830F0-9C7B-49F6-B2CC-CF6275D58FD8`,
  ],
  [
    'iPhone',
    'QQ',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 11_2_2 like Mac OS X) AppleWebKit/604.4.7 (KHTML, like Gecko) Mobile/15C202 QQ/7.3.5.473 V1_IPH_SQ_7.3.5_1_APP_A Pixel/1125 Core/UIWebView Device/Apple(iPhone X) NetType/WIFI QBWebViewType/1',
  ],
  [
    'iPhone',
    'QQ Browser',
    `${iPhone('18_5')} Version/18.0 MQQBrowser/19.2.7 Mobile/15E148 Safari/604.1 QBWebViewUA/2 QBWebViewType/1 WKType/1`,
  ],
  [
    'iPhone',
    'Weibo',
    `${iPhone('17_6')} Mobile/15E148 Weibo (iPhone15,3__weibo__16.2.0__iphone__os17.6)`,
  ],
  [
    'iPhone',
    'Alipay',
    `${iPhone('18_6_2')} Mobile/22G100 ChannelId(8) Ariver/1.1.0 AliApp(AP/10.8.30.6000) Nebula WK RVKType(0) AlipayDefined(nt:WIFI,ws:390|844|3.0,ac:ss) AlipayClient/10.8.30.6000 Language/zh-Hans Region/CN NebulaX/1.0.0 XRiver/10.2.58.1`,
  ],
  [
    'iPhone',
    'Douyin',
    `${iPhone('18_7')} Mobile/15E148 aweme_36.7.0 Region/CN AppTheme/light NetType/WIFI JsSdk/2.0 Channel/App ByteLocale/zh ByteFullLocale/zh-Hans-CN WKWebView/1 Bullet/1 aweme/36.7.0 BytedanceWebview/d8a21c6`,
  ],
  ['iPhone', 'Xiaohongshu', `${iPhone('17_5')} Mobile/15E148 xhsdiscover/8.40 NetType/WiFi`],
  [
    'iPhone',
    'Baidu',
    `${iPhone('15_4')} Mobile/15E148 SP-engine/2.69.0 main%2F1.0 baiduboxapp/13.31.0.10 (Baidu; P2 15.4) NABar/1.0 themeUA=Theme/default`,
  ],
  [
    'iPhone',
    'Bilibili',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1_1 like Mac OS X) AppleWebKit/619.2.8.10.9 (KHTML, like Gecko) Mobile/22B91 BiliApp/83000100 os/ios model/iPhone 13 mobi_app/iphone build/83000100 osVer/18.1.1 network/2 channel/AppStore c_locale/zh-Hans_CN s_locale/zh-Hans_CN disable_rcmd/0',
  ],
  [
    'iPhone',
    'Facebook',
    `${iPhone('16_6')} Mobile/15E148 [FBAN/FBIOS;FBDV/iPhone14,3;FBMD/iPhone]`,
  ],
  [
    'iPhone',
    'Instagram',
    `${iPhone('17_0')} Mobile/15E148 Instagram 302.1.0.36.111 (iPhone14,5; iOS 17_0; en_US; en; scale=3.00; 1170x2532; 521498971)`,
  ],
  ['iPhone', 'LINE', `${iPhone('17_4_1')} Mobile/15E148 Safari Line/14.5.1`],
  [
    'iPad',
    'Safari',
    'Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
  ],
  [
    'iPad',
    'DingTalk',
    'Mozilla/5.0 (iPad; CPU OS 18_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/22E252 AliApp(DingTalk/7.6.60) com.laiwang.DingTalk/45715949 Channel/201200 Pad/iPad language/zh-Hans-CN UT4Aplus/0.0.6 WK',
  ],
  [
    'iPad',
    'QQ',
    'Mozilla/5.0 (iPad; CPU OS 8_0 like Mac OS X) AppleWebKit/600.1.4 (KHTML, like Gecko) Mobile/12A365 IPadQQ/5.3.0.0 QQ/5.6',
  ],
  // Android.
  [
    'Android',
    'Chrome',
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/131.0.0.0 Mobile Safari/537.36`,
  ],
  [
    'Android',
    'Chrome',
    `Mozilla/5.0 (Linux; Android 9; MIX 3) ${webkit} Chrome/70.0.3538.80 Mobile Safari/537.36`,
  ],
  [
    'Android',
    'Edge',
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/136.0.0.0 Mobile Safari/537.36 EdgA/136.0.0.0`,
  ],
  ['Android', 'Firefox', 'Mozilla/5.0 (Android 12; Mobile; rv:134.0) Gecko/134.0 Firefox/134.0'],
  [
    'Android',
    'Samsung Internet',
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} SamsungBrowser/28.1 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  [
    'Android',
    'Opera',
    `Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/127.0.0.0 Mobile Safari/537.36 OPR/85.0.0.0`,
  ],
  [
    'Android',
    'vivo Browser',
    `Mozilla/5.0 (Linux; Android 8.1.0; vivo X20A Build/OPM1.171019.011; wv) ${webkit} Version/4.0 Chrome/131.0.6778.200 Mobile Safari/537.36 VivoBrowser/25.5.52.0`,
  ],
  [
    'Android',
    'UC Browser',
    `Mozilla/5.0 (Linux; U; Android 5.1.1; zh-CN; R7Plusm Build/LMY47V) ${webkit} Version/4.0 Chrome/40.0.2214.89 UCBrowser/11.5.2.942 Mobile Safari/537.36`,
  ],
  [
    'Android',
    'WeChat',
    `Mozilla/5.0 (Linux; Android 12; DCO-AL00 Build/HUAWEIDCO-AL00; wv) ${webkit} Version/4.0 Chrome/134.0.6998.136 Mobile Safari/537.36 XWEB/1340075 MMWEBSDK/20250201 MMWEBID/7690 MicroMessenger/8.0.58.2841(0x28003A3C) WeChat/arm64 Weixin NetType/WIFI Language/zh_CN ABI/arm64`,
  ],
  [
    'Android',
    'WeCom',
    `Mozilla/5.0 (Linux; Android 15; V2232A Build/AP3A.240905.015.A2; wv) ${webkit} Version/4.0 Chrome/134.0.6998.136 Mobile Safari/537.36 XWEB/1340157 MMWEBSDK/20250201 MMWEBID/140 wxwork/4.1.38 MicroMessenger/7.0.1 NetType/WIFI Language/zh Lang/zh ColorScheme/Light wwmver/3.26.38.639`,
  ],
  [
    'Android',
    'QQ',
    `Mozilla/5.0 (Linux; Android 11; Redmi Note 8 Pro Build/RP1A.200720.011; wv) ${webkit} Version/4.0 Chrome/89.0.4389.72 MQQBrowser/6.2 TBS/045913 Mobile Safari/537.36 V1_AND_SQ_8.8.68_2538_YYB_D A_8086800 QQ/8.8.68.7265 NetType/WIFI WebP/0.3.0 Pixel/1080 StatusBarHeight/76 SimpleUISwitch/1 QQTheme/2971 InMagicWin/0`,
  ],
  [
    'Android',
    'QQ Browser',
    `Mozilla/5.0 (Linux; U; Android 12; zh-cn; DCO-AL00 Build/HUAWEIDCO-AL00) ${webkit} Version/4.0 Chrome/121.0.6167.71 MQQBrowser/16.3 Mobile Safari/537.36 COVC/047707`,
  ],
  [
    'Android',
    'Weibo',
    `Mozilla/5.0 (Linux; Android 8.0.0; ONEPLUS A3010 Build/OPR1.170623.032; wv) ${webkit} Version/4.0 Chrome/72.0.3626.105 Mobile Safari/537.36 Weibo (OnePlus-ONEPLUS A3010__weibo__9.2.0__android__android8.0.0)`,
  ],
  [
    'Android',
    'Alipay',
    `Mozilla/5.0 (Linux; U; Android 11; zh-CN; M2012K10C Build/RP1A.200720.011) ${webkit} Version/4.0 Chrome/69.0.3497.100 UWS/3.22.2.59 Mobile Safari/537.36 UCBS/3.22.2.59_230213152242 NebulaSDK/1.8.100112 Nebula AlipayDefined(nt:3G,ws:393|0|2.75) AliApp(AP/10.3.86.8000) AlipayClient/10.3.86.8000 Language/zh-Hans useStatusBar/true isConcaveScreen/true Region/CNAriver/1.0.0`,
  ],
  [
    'Android',
    'Taobao',
    `Mozilla/5.0 (Linux; U; Android 7.1.1; zh-CN; OD103 Build/NMF26F) ${webkit} Version/4.0 Chrome/40.0.2214.89 UCBrowser/11.4.1.939 UCBS/2.10.1.10 Mobile Safari/537.36 AliApp(TB/6.9.7) WindVane/8.0.0`,
  ],
  [
    'Android',
    'Baidu',
    `Mozilla/5.0 (Linux; Android 12; RMX3300 Build/SKQ1.211019.001; wv) ${webkit} Version/4.0 Chrome/97.0.4692.98 Mobile Safari/537.36 T7/13.32 SP-engine/2.70.0 baiduboxapp/13.32.0.10 (Baidu; P1 12) NABar/1.0`,
  ],
  [
    'Android',
    'Bilibili',
    `Mozilla/5.0 (Linux; Android 12; SM-S9080 Build/V417IR; wv) ${webkit} Version/4.0 Chrome/91.0.4472.114 Mobile Safari/537.36 os/android model/SM-S9080 build/7760700 osVer/12 sdkInt/32 network/2 BiliApp/7760700 mobi_app/android channel/bili`,
  ],
  [
    'Android',
    'Toutiao',
    `Mozilla/5.0 (Linux; Android 10; V1938CT Build/QP1A.190711.020; wv) ${webkit} Version/4.0 Chrome/75.0.3770.156 Mobile Safari/537.36 JsSdk/2 NewsArticle/7.7.5 NetType/wifi`,
  ],
  // HarmonyOS.
  [
    'HarmonyOS',
    'Chrome',
    `Mozilla/5.0 (Phone; OpenHarmony 5.0) ${webkit} Chrome/114.0.0.0 Safari/537.36  ArkWeb/4.1.6.1 Mobile`,
  ],
  [
    'HarmonyOS',
    'Huawei Browser',
    `Mozilla/5.0 (Phone; OpenHarmony 5.0) ${webkit} Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile HuaweiBrowser/5.0.4.300`,
  ],
  [
    'HarmonyOS',
    'Huawei Browser',
    `Mozilla/5.0 (Linux; Android 12; HarmonyOS; DCO-AL00; HMSCore 6.15.0.302) ${webkit} Chrome/114.0.5735.196 HuaweiBrowser/16.0.4.301 Mobile Safari/537.36`,
  ],
  [
    'HarmonyOS',
    'DingTalk',
    `Mozilla/5.0 (Linux; U; Android 12; zh-CN; DCO-AL00 Build/HUAWEIDCO-AL00) ${webkit} Version/4.0 Chrome/100.0.4896.58 UWS/5.12.11.0 Mobile Safari/537.36 AliApp(DingTalk/7.6.60) com.alibaba.android.rimet/45740687 Channel/227200 language/zh-CN abi/64 Hmos/4.2.0 xpn/huawei UT4Aplus/0.2.25 colorScheme/light`,
  ],
  [
    'HarmonyOS',
    '360 Browser',
    `Mozilla/5.0 (PC; OpenHarmony 5.0; HarmonyOS 5.0) ${webkit} Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Browser/harmony360Browser/1.0.0`,
  ],
  // Televisions.
  [
    'TV',
    'Samsung Internet',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 2.3) AppleWebkit/538.1 (KHTML, like Gecko) SamsungBrowser/1.0 TV Safari/538.1',
  ],
  [
    'TV',
    'WebOS Browser',
    `Mozilla/5.0 (Web0S; Linux/SmartTV) ${webkit} Chrome/87.0.4280.88 Safari/537.36 WebAppManager`,
  ],
  [
    'TV',
    'Chrome',
    `Mozilla/5.0 (Linux; Android 9; AFTMM Build/PS7273; wv) ${webkit} Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36`,
  ],
  [
    'TV',
    'Apple player',
    'AppleCoreMedia/1.0.0.20L563 (Apple TV; U; CPU OS 16_5 like Mac OS X; en_us)',
  ],
  // Players.
  [
    'iPhone',
    'Apple player',
    'AppleCoreMedia/1.0.0.21F90 (iPhone; U; CPU OS 17_5 like Mac OS X; zh_cn)',
  ],
  ['Other', 'VLC', 'VLC/3.0.21 LibVLC/3.0.21'],
  ['Other', 'ffmpeg', 'Lavf/60.16.100'],
  ['PC', 'Kodi', 'Kodi/21.0 (Windows NT 10.0; Win64; x64) App/2.3.14'],
  ['Android', 'ExoPlayer', 'MyApp/1.0 (Linux;Android 13) ExoPlayerLib/2.19.1'],
];

test('the table is long enough to mean something', () => {
  expect(people.length).toBeGreaterThanOrEqual(60);
});

test.each(people)('%s, %s: %s', (device, browser, userAgent) => {
  expect(deviceOf(userAgent)).toEqual({ device, browser, isBot: false });
});

describe('robots are not viewers', () => {
  test.each([
    '',
    '   ',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)',
    'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
    `Mozilla/5.0 ${webkit.replace('Gecko)', 'Gecko; compatible; GPTBot/1.0; +https://openai.com/gptbot)')}`,
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} HeadlessChrome/131.0.0.0 Safari/537.36`,
    'Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)',
    'Sogou web spider/4.0(+http://www.sogou.com/docs/help/webmasters.htm#07)',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Twitterbot/1.0',
    'Mozilla/5.0 (Linux; u; Android 4.2.2; zh-cn;) AppleWebKit/534.46 (KHTML,like Gecko) Version/5.1 Mobile Safari/10600.6.3 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html) baiduboxapp/1.0',
    'curl/8.5.0',
    'Wget/1.21.4',
    'python-requests/2.32.3',
    'Go-http-client/2.0',
  ])('%j', (userAgent) => {
    expect(deviceOf(userAgent).isBot).toBe(true);
  });
});

test('what is remembered is what was recognised, and is recognised once', () => {
  const remembered = rememberedDevices();
  for (const [, , userAgent] of people) {
    expect(remembered(userAgent)).toEqual(deviceOf(userAgent));
    expect(remembered(`${userAgent}  `)).toBe(remembered(userAgent));
  }
});

test('an endless user agent costs no more than a long one', () => {
  const { device, browser, isBot } = deviceOf(`${people[0]?.[2]} ${'x'.repeat(100_000)}`);
  expect({ device, browser, isBot }).toEqual({ device: 'PC', browser: 'Chrome', isBot: false });
});
