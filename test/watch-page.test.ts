// The watch page in Chromium against the real service and a real push: what is seen and heard.
import { expect } from 'bun:test';
import { noChromium } from './support/browser.ts';
import { testWith } from './support/needs.ts';
import { Theatre } from './support/theatre.ts';

/** Long enough to make a recording of. */
const shortShowMs = 5_000;
/** A stream that is paused for longer loads no more. */
const restMs = 13_000;
/** Shorter than a session waits for whom it has lost. */
const awayMs = 3_000;

const theatre = new Theatre();

testWith(
  noChromium,
  'a page turns live, off air and to the video, and is never loaded anew',
  async () => {
    const channel = await theatre.newChannel();
    const viewer = await theatre.open(channel, await theatre.viewer());
    await viewer.holds("document.body.dataset.state === 'waiting'");
    await viewer.holds("document.getElementById('viewers').textContent === '1 waiting'");
    await viewer.page.evaluate('window.isTheSame = true');
    await theatre.goLive(channel);
    await viewer.plays();
    await viewer.holds("document.getElementById('viewers').textContent === '1 watching'");
    await viewer.holds('video.getVideoPlaybackQuality().totalVideoFrames > 30');
    await viewer.holds("document.getElementById('live-edge').dataset.on === 'true'");
    await Bun.sleep(shortShowMs);
    await theatre.pushes.splice(0)[0]?.end();
    await viewer.holds("document.body.dataset.state === 'video' && video.duration > 1");
    expect(await viewer.page.evaluate('video.paused')).toBe(true);
    // Thousands are shown it, of whom a few will play it.
    await Bun.sleep(awayMs);
    const loaded = 'video.buffered.end(0) / video.duration';
    expect(Number(await viewer.page.evaluate(loaded))).toBeLessThan(0.6);
    await viewer.page.click('#big-play');
    await viewer.holds(`${loaded} > 0.9`);
    await viewer.holds("video.currentTime > 0.5 && document.getElementById('seek').value > 0");
    // Once more on air: whoever looks at the recording is brought back.
    await theatre.goLive(channel);
    await viewer.plays();
    expect(await viewer.page.evaluate('isTheSame')).toBe(true);
    expect(viewer.complaints).toEqual([]);
  },
);

testWith(noChromium, 'another name and another start reach a page that is open', async () => {
  const channel = await theatre.newChannel();
  const viewer = await theatre.open(channel, await theatre.viewer());
  expect(await viewer.page.isVisible('text=The broadcast has not begun yet')).toBe(true);
  const { service } = theatre;
  const path = `/v1/activities/${channel.id}`;
  await service.call('PUT', path, { body: { name: 'Another show' } });
  await service.call('PUT', `${path}/page`, { body: { start_time: '2099-12-31 20:00:00' } });
  await viewer.holds("document.title === 'Another show' && title.textContent === document.title");
  await viewer.holds("!document.getElementById('countdown').hidden");
  expect(await viewer.page.textContent('#start-time')).toContain('2099');
  expect(viewer.complaints).toEqual([]);
});

testWith(noChromium, 'sound, keys and chat do what they say', async () => {
  const channel = await theatre.live();
  const one = await theatre.open(channel, await theatre.viewer());
  const other = await theatre.open(channel, await theatre.viewer({ isPhone: true }));
  await one.plays();
  expect(await one.page.evaluate('video.muted')).toBe(true);
  // The first thing that a keyboard reaches.
  await one.page.keyboard.press('Tab');
  expect(await one.page.evaluate('document.activeElement.id')).toBe('unmute');
  await one.page.keyboard.press('Enter');
  // Nothing lies over it, also while the controls are seen.
  await other.plays();
  await other.page.tap('#unmute');
  expect(await other.page.evaluate('video.muted')).toBe(false);
  expect(await one.page.evaluate('video.muted')).toBe(false);
  await one.holds("document.getElementById('unmute').hidden");
  await one.page.keyboard.press('m');
  expect(await one.page.evaluate('video.muted')).toBe(true);
  await one.page.keyboard.press('k');
  await one.holds("video.paused && document.getElementById('play').ariaLabel === 'Play'");
  await one.page.keyboard.press('Space');
  await one.plays();

  await one.page.fill('#nick', 'Ann');
  await one.page.focus('#chat-text');
  const words = 'km f<img src=x onerror=alert(1)> 1';
  await one.page.keyboard.type(words);
  await one.page.keyboard.press('Enter');
  await other.page.waitForSelector('#chat-log .message');
  expect(await other.page.textContent('#chat-log .text')).toBe(words);
  expect(await other.page.textContent('#chat-log .author')).toBe('Ann');
  await one.page.waitForSelector('#chat-log .message.own');
  await other.page.fill('#chat-text', 'hello');
  await other.page.press('#chat-text', 'Enter');
  await one.page.waitForSelector('#chat-log .message:not(.own)');
  expect(await one.page.textContent('#chat-log .message:not(.own) .author')).toBe('Guest');
  expect(await one.page.inputValue('#chat-text')).toBe('');
  expect(await one.page.evaluate('!video.paused && video.muted')).toBe(true);
  await one.holds("document.getElementById('viewers').textContent === '2 watching'");
  expect([...one.complaints, ...other.complaints]).toEqual([]);
});

testWith(noChromium, 'who is silenced sees a sentence and no form until it is over', async () => {
  const channel = await theatre.live();
  const viewer = await theatre.open(channel, await theatre.viewer());
  const { page } = viewer;
  await viewer.plays();
  const manage = `/manage/v1/channels/${channel.id}`;
  const { body } = await theatre.service.call('GET', `${manage}/present`);
  const viewer_id = body.viewers[0].user_id;
  const host = async (word: string) => {
    const order = { body: { viewer_id } };
    const { status } = await theatre.service.call('POST', `${manage}/chat/${word}`, order);
    expect(status).toBe(200);
  };
  const sees = (id: string) => page.isVisible(`#${id}`);

  const muted = 'The host has muted you: you can read this chat, but not write in it.';
  await host('mute');
  await viewer.holds("document.getElementById('chat').dataset.open === 'false'");
  expect([await page.textContent('#chat-closed'), await sees('chat-form')]).toEqual([muted, false]);
  await page.reload();
  await viewer.holds("document.getElementById('chat').dataset.open === 'false'");
  expect([await page.textContent('#chat-closed'), await sees('chat-form')]).toEqual([muted, false]);
  await host('lift');
  await viewer.holds("document.getElementById('chat').dataset.open === 'true'");
  expect([await sees('chat-closed'), await sees('chat-form')]).toEqual([false, true]);
  await viewer.plays();

  const banned = 'The host has banned you from this channel.';
  await host('ban');
  await viewer.holds("!document.getElementById('message').hidden");
  expect([await page.textContent('#message'), await sees('chat')]).toEqual([banned, false]);
  await viewer.holds("player.dataset.playback === 'idle' && video.readyState === 0");
  await page.reload();
  await viewer.holds("!document.getElementById('message').hidden");
  expect([await page.textContent('#message'), await sees('chat')]).toEqual([banned, false]);
  await host('lift');
  // It looks by itself in a minute; a network that comes back makes it look at once.
  const loaded = page.waitForEvent('load');
  await page.evaluate("dispatchEvent(new Event('online'))");
  await loaded;
  await viewer.plays();
  expect([await sees('message'), await sees('chat-form')]).toEqual([false, true]);
  expect(viewer.complaints).toEqual([]);
});

testWith(noChromium, 'a finger asks for the controls before it uses them', async () => {
  const channel = await theatre.live();
  const viewer = await theatre.open(channel, await theatre.viewer({ isPhone: true }));
  await viewer.plays();
  const place = await viewer.page.locator('#play').boundingBox();
  if (!place) throw new Error('there is no button');
  const tap = () => viewer.page.touchscreen.tap(place.x + 10, place.y + 10);
  await viewer.page.evaluate(`
    document.addEventListener('pointerdown', () => {
      window.tapped = player.dataset.quiet + ' ' + player.dataset.playback;
    }, true);`);
  const tapped = async () => {
    await tap();
    // The click of a tap comes with it.
    await viewer.page.evaluate('new Promise((seen) => requestAnimationFrame(seen))');
    return await viewer.page.evaluate('tapped');
  };
  // On a busy machine it may run dry under the finger, which has then seen the controls: once more.
  do {
    await viewer.page.evaluate('video.play()');
    await viewer.holds("player.dataset.quiet === 'true'");
  } while ((await tapped()) !== 'true playing');
  expect(await viewer.page.evaluate('video.paused')).toBe(false);
  // There the controls may also be gone before the finger is back: it asks for them again.
  do await viewer.page.evaluate('video.play()');
  while ((await tapped()) !== 'false playing');
  await viewer.holds('video.paused');
  // Safari's click does not say what made it.
  await viewer.page.evaluate(`
    video.dispatchEvent(new PointerEvent('pointerdown', { pointerType: 'touch', bubbles: true }));
    video.dispatchEvent(new MouseEvent('click', { bubbles: true }));`);
  expect(await viewer.page.evaluate('video.paused')).toBe(true);
});

testWith(noChromium, 'a decoder that breaks is begun anew, and plays on', async () => {
  const channel = await theatre.live();
  const viewer = await theatre.open(channel, await theatre.viewer());
  await viewer.plays();
  await viewer.page.evaluate(`
    window.emptied = 0;
    video.addEventListener('emptied', () => { window.emptied += 1; });
    const { appendBuffer } = SourceBuffer.prototype;
    SourceBuffer.prototype.appendBuffer = function (bytes) {
      if (window.emptied === 0) throw new DOMException('', 'InvalidStateError');
      appendBuffer.call(this, bytes);
    };`);
  await viewer.holds('emptied > 0');
  await viewer.plays();
});

testWith(noChromium, 'who may not play and does not ask to loads nothing for long', async () => {
  const channel = await theatre.live();
  const context = await theatre.viewer({ mayPlay: false });
  await context.clock.install();
  const looker = await theatre.open(channel, context);
  await looker.holds("!document.getElementById('big-play').hidden && video.readyState > 1");
  await looker.page.clock.fastForward(restMs);
  let asked = 0;
  looker.page.on('request', () => {
    asked += 1;
  });
  // What it asked for before may be told late on a busy machine; that it never comes to rest ends the test.
  let askedBefore: number;
  do {
    askedBefore = asked;
    await Bun.sleep(awayMs);
  } while (asked !== askedBefore);
});
