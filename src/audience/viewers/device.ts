// What somebody watches with, in the words people use, from the user agent.
import Bowser from 'bowser';
import { isbot } from 'isbot';
import { remembered } from '../../base/lib/remembered.ts';
import { appOf } from './apps.ts';

export interface Device {
  /** `iPhone`, `iPad`, `Android`, `HarmonyOS`, `PC`, `Mac`, `TV` or `Other`. */
  device: string;
  /** `Chrome`, `Safari`, `WeChat`, … or `Other`. */
  browser: string;
  isBot: boolean;
}

/** A thousand kinds of browser are more than an audience has; with their texts they take about 1 MB. */
const userAgentsMax = 1_000;
/** Apps write their names at the end of long texts; beyond this there is nothing but noise. */
const userAgentCharactersMax = 1_024;

export type DeviceOf = (userAgent: string) => Device;

/** An audience has the same few browsers: each is looked at once. */
export function rememberedDevices(): DeviceOf {
  const known = remembered(userAgentsMax, deviceOf);
  return (userAgent) => known(telling(userAgent));
}

export function deviceOf(userAgent: string): Device {
  const text = telling(userAgent);
  if (text === '') return { device: 'Other', browser: 'Other', isBot: true };
  const app = appOf(text);
  const parser = Bowser.getParser(text);
  return {
    device: deviceName(text, parser.getOSName()),
    browser: app ?? browserName(parser.getBrowserName()),
    isBot: isRobot(text, app !== undefined),
  };
}

function telling(userAgent: string): string {
  return userAgent.slice(0, userAgentCharactersMax).trim();
}

/**
 * isbot goes by small signs: no "Mozilla", as players have none; a "|", as Alipay writes; "News", as
 * Toutiao does. Whoever is known by name is a robot only where it says so.
 */
function isRobot(userAgent: string, isKnown: boolean): boolean {
  return isKnown ? /bot\b|spider|crawl|headless/i.test(userAgent) : isbot(userAgent);
}

/** Televisions run Android, Linux or systems of their own; what they call themselves is what they share. */
const television =
  /smart-?tv|\bTV\b|GoogleTV|AppleTV|tvOS|HbbTV|BRAVIA|\bAFT\w|\bCrKey\b|Web0S|webOS\.TV|NetCast|Roku|MiTV|MiBOX/i;

function deviceName(userAgent: string, system: string): string {
  if (television.test(userAgent)) return 'TV';
  if (/iPad/i.test(userAgent)) return 'iPad';
  if (/iPhone|iPod/i.test(userAgent)) return 'iPhone';
  // Huawei's browser says Android too, so that sites written for it work.
  if (/HarmonyOS|OpenHarmony|\bHmos\//i.test(userAgent)) return 'HarmonyOS';
  if (/Android/i.test(userAgent)) return 'Android';
  return deviceBySystem[system] ?? 'Other';
}

const deviceBySystem: Record<string, string> = {
  iOS: 'iPad', // what is left of iOS here: Firefox on an iPad, which says Macintosh
  Windows: 'PC',
  Linux: 'PC',
  'Chrome OS': 'PC',
  macOS: 'Mac',
};

/** Shorter names for some; the others are as bowser has them. */
function browserName(name: string): string {
  return shortNames[name] ?? (name === '' ? 'Other' : name);
}

const shortNames: Record<string, string> = {
  Chromium: 'Chrome',
  'Google Search': 'Google',
  'HeyTap Browser': 'OPPO Browser',
  'Microsoft Edge': 'Edge',
  Miui: 'Mi Browser',
  'MZ Browser': 'Meizu Browser',
  'Opera Coast': 'Opera',
  'Opera Touch': 'Opera',
  'Samsung Internet for Android': 'Samsung Internet',
  'Vivo Browser': 'vivo Browser',
};
