// Places from the files that come with us, from an operator's own, and from files that are broken.
import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../../test/support/engines.ts';
import { startLog } from '../../base/lib/log.ts';
import { englishCity, englishProvince } from './china-names.ts';
import { chinaFile, chinaSource, readRanges } from './china-source.ts';
import { countryNames } from './country-name.ts';
import { openPlaces } from './place.ts';
import { mended } from './place-source.ts';

/** A log whose lines a test looks at. */
function testLog() {
  const lines: string[] = [];
  const write = (text: string) => {
    lines.push(...text.trimEnd().split('\n'));
    return text.length;
  };
  const log = startLog('debug', { write });
  return {
    log,
    lines: () => {
      log.flush();
      return lines;
    },
  };
}

describe('the files that come with us', async () => {
  const { log, lines } = testLog();
  const places = await openPlaces({ file: '', log });

  test.each([
    ['119.123.70.1', '广东省深圳市', 'Shenzhen, Guangdong, China'],
    ['::ffff:119.123.70.1', '广东省深圳市', 'Shenzhen, Guangdong, China'],
    ['218.4.167.70', '江苏省苏州市', 'Suzhou, Jiangsu, China'],
    ['202.106.0.20', '北京市', 'Beijing, China'],
    ['202.99.224.68', '内蒙古呼和浩特市', 'Hohhot, Inner Mongolia, China'],
    ['203.198.7.66', '香港', 'Hong Kong'],
    ['202.175.3.8', '澳门', 'Macao'],
    ['168.95.1.1', '台湾省', 'Taiwan'],
    ['210.152.0.1', '日本', 'Japan'],
    ['8.8.8.8', '美国', 'United States'],
    ['2400:3200::1', '中国', 'China'],
    ['2001:4860:4860:0:0:0:0:8888', '美国', 'United States'],
    ['127.0.0.1', '局域网', 'Local network'],
    ['10.1.2.3', '局域网', 'Local network'],
    ['172.31.255.255', '局域网', 'Local network'],
    ['192.168.1.1', '局域网', 'Local network'],
    ['100.64.0.1', '局域网', 'Local network'],
    ['169.254.1.1', '局域网', 'Local network'],
    ['::1', '局域网', 'Local network'],
    ['fe80::1%eth0', '局域网', 'Local network'],
    ['fd12:3456::1', '局域网', 'Local network'],
    ['192.0.2.1', '', ''],
    ['0.0.0.0', '', ''],
    ['255.255.255.255', '', ''],
    ['ff02::1', '', ''],
    ['999.1.1.1', '', ''],
    ['', '', ''],
  ])('%s is %j, %j', (ip, zh, en) => {
    expect({ zh: places.of(ip, 'zh'), en: places.of(ip, 'en') }).toEqual({ zh, en });
  });

  test('are read without a word in the log', () => {
    expect(lines()).toEqual([]);
  });
});

describe('English names', () => {
  const regions = readRanges(readFileSync(chinaFile))
    .places.filter((place) => place !== '')
    .map((place) => {
      const [province = '', city = ''] = place.split('|');
      return { province, city };
    });

  test('are there for all provinces', () => {
    const names = new Set(
      regions.filter(({ province }) => province !== '').map(({ province }) => province),
    );
    expect([...names].filter((name) => englishProvince(name)[0] === 'China')).toEqual([]);
    expect(new Set([...names].map((name) => englishProvince(name)[0])).size).toBe(34);
  });

  test('are there for all cities', () => {
    const nameless = regions.filter(
      ({ province, city }) =>
        city !== '' && !city.startsWith(province) && englishCity(province, city) === '',
    );
    expect(nameless).toEqual([]);
    expect(regions.length).toBeGreaterThan(400);
  });
});

test.each([
  ['HK', '香港', 'Hong Kong'],
  ['MO', '澳门', 'Macao'],
  ['TW', '台湾', 'Taiwan'],
  ['GB', '英国', 'United Kingdom'],
  ['XX', '', ''],
  ['ZZ', '', ''],
  ['', '', ''],
])('the country %j is %j, %j', (code, zh, en) => {
  const nameOf = countryNames();
  expect({ zh: nameOf(code, 'zh'), en: nameOf(code, 'en') }).toEqual({ zh, en });
});

describe("an operator's file", () => {
  const shenzhen = {
    country: { iso_code: 'CN', names: { en: 'China', 'zh-CN': '中国' } },
    subdivisions: { names: { en: 'Guangdong', 'zh-CN': '广东' } },
    city: { names: { en: 'Shenzhen', 'zh-CN': '深圳市' } },
  };

  test.each([
    ['a city', shenzhen, '广东深圳市', 'Shenzhen, Guangdong, China'],
    [
      'a city abroad without a Chinese name',
      {
        country: { iso_code: 'FR', names: { en: 'France', 'zh-CN': '法国' } },
        city: { names: { en: 'Lyon' } },
      },
      '法国 Lyon',
      'Lyon, France',
    ],
    [
      'a city that is a country',
      {
        country: { iso_code: 'SG', names: { en: 'Singapore', 'zh-CN': '新加坡' } },
        city: { names: { en: 'Singapore', 'zh-CN': '新加坡' } },
      },
      '新加坡',
      'Singapore',
    ],
    ['a country', { country: shenzhen.country }, '中国', 'China'],
    ['nothing: then ours is asked', {}, '美国', 'United States'],
  ])('knows %s', async (_, record, zh, en) => {
    const file = join(temporaryFolder(), 'places.mmdb');
    writeFileSync(file, mmdbOf(record));
    const { log, lines } = testLog();
    const places = await openPlaces({ file, log });
    expect({ zh: places.of('8.8.8.8', 'zh'), en: places.of('8.8.8.8', 'en') }).toEqual({ zh, en });
    expect(lines()).toEqual([]);
  });

  test.each([
    ['is absent', undefined],
    ['is empty', ''],
    ['is something else', 'not an mmdb at all '.repeat(1_000)],
    ['is cut', Buffer.from(mmdbOf(shenzhen)).subarray(-80)],
  ])('that %s costs one line, and ours answer', async (_, bytes) => {
    const file = join(temporaryFolder(), 'places.mmdb');
    if (bytes !== undefined) writeFileSync(file, bytes);
    const { log, lines } = testLog();
    const places = await openPlaces({ file, log });
    expect([places.of('8.8.8.8', 'en'), places.of('8.8.4.4', 'en')]).toEqual([
      'United States',
      'United States',
    ]);
    expect(lines()).toHaveLength(1);
    expect(lines()[0]).toContain(file);
  });
});

test.each([
  ['absent', undefined],
  ['empty', Buffer.alloc(0)],
  ['full of ones', Buffer.alloc(1_000_000, 255)],
  ['full of noise', Buffer.from(Array.from({ length: 600_000 }, (_, at) => (at * 7_919) % 251))],
  ['cut', readFileSync(chinaFile).subarray(0, 300_000)],
])('a Chinese file that is %s costs one line and knows nothing', (_, bytes) => {
  const file = join(temporaryFolder(), 'broken.places');
  if (bytes !== undefined) writeFileSync(file, bytes);
  const { log, lines } = testLog();
  const source = mended({ name: 'places in China', open: () => chinaSource(file), log });
  expect([source('119.123.70.1'), source('202.106.0.20')]).toEqual([undefined, undefined]);
  expect(lines()).toHaveLength(1);
});

type Field = string | { [name: string]: Field };

/** An mmdb (version 2.0 of its format) that answers every address with one record. */
function mmdbOf(record: { [name: string]: Field }): Buffer {
  const withSubdivisions = encoded(record);
  // One node, whose both sides point at the record: behind the tree's one node and 16 zero bytes.
  const tree = Buffer.from([0, 0, 17, 0, 0, 17]);
  const metadata = Buffer.concat([
    Buffer.from([0xe0 | 4]),
    encoded('node_count'),
    Buffer.from([0xc1, 1]),
    encoded('record_size'),
    Buffer.from([0xa1, 24]),
    encoded('ip_version'),
    Buffer.from([0xa1, 6]),
    encoded('binary_format_major_version'),
    Buffer.from([0xa1, 2]),
  ]);
  const marker = Buffer.from('\u00ab\u00cd\u00efMaxMind.com', 'latin1');
  return Buffer.concat([tree, Buffer.alloc(16), withSubdivisions, marker, metadata]);
}

/** A text or a map; what is called `subdivisions` is an array of one. */
function encoded(value: Field): Buffer {
  if (typeof value === 'string') {
    const bytes = Buffer.from(value);
    return Buffer.concat([Buffer.from([0x40 | bytes.length]), bytes]);
  }
  const fields = Object.entries(value).map(([name, field]) => {
    const array = name === 'subdivisions' ? Buffer.from([0x01, 0x04]) : Buffer.alloc(0);
    return Buffer.concat([encoded(name), array, encoded(field)]);
  });
  return Buffer.concat([Buffer.from([0xe0 | fields.length]), ...fields]);
}
