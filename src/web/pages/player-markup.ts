// The player as the server sends it: picture, what lies over it, and the bar of controls that the script drives.
import { type Html, html } from './html.ts';
import { icon, iconPair } from './icons.ts';
import { id } from './page-ids.ts';
import { speedName, speeds } from './speeds.ts';
import type { PageTexts } from './texts-en.ts';
import { timeText } from './time-text.ts';

export interface PlayerMarkup {
  texts: PageTexts;
  /** Behind the picture while there is none; empty for none. */
  backdrop: string;
  /** In the corner; empty for none. */
  logo: string;
  /** What stands over the picture while nothing plays. */
  notes: Html;
  durationSeconds: number;
}

export function playerMarkup(player: PlayerMarkup): Html {
  const { texts, backdrop, logo, notes } = player;
  return html`<section ${id('player')} aria-label="${texts.player}" data-playback="idle" data-picture="moving" data-quiet="false" data-captions="low" tabindex="-1">
${backdrop ? html`<img class="backdrop" src="${backdrop}" alt="">` : ''}
<video ${id('video')} playsinline muted preload="none" disableremoteplayback tabindex="-1"></video>
<canvas ${id('last-picture')} aria-hidden="true" hidden></canvas>
${logo ? html`<img class="logo" src="${logo}" alt="">` : ''}
${notes}
<div class="spinner" role="img" aria-label="${texts.loading}"></div>
<p ${id('answer')} class="answer" aria-hidden="true"></p>
<p ${id('slow-line')} hidden></p>
<p ${id('cast-note')} class="note" hidden>${texts.on_screen}</p>
<p ${id('message')} class="note" role="alert" hidden></p>
<p ${id('unsupported')} class="note" role="alert" hidden>${texts.unsupported}</p>
<p ${id('not-started')} class="note" role="alert">${texts.not_started}</p>
<noscript><p class="note">${texts.needs_script}</p></noscript>
<button ${id('big-play')} type="button" class="over" hidden aria-label="${texts.tap_to_play}">${icon('play')}</button>
<button ${id('unmute')} type="button" class="over pill" hidden>${icon('silent')}<span>${texts.sound_on}</span></button>
${controls(player)}
<p ${id('announce')} class="unseen" role="status"></p>
</section>`;
}

function controls({ texts, durationSeconds }: PlayerMarkup): Html {
  const { client } = texts;
  // Of what is live the script knows later whether there is anything to go back to.
  const isUnknown = durationSeconds > 0 ? '' : html` hidden`;
  return html`<div ${id('controls')} role="group" aria-label="${texts.controls}" data-at="live video">
<input ${id('seek')} type="range" min="0" max="${durationSeconds}" step="0.1" value="0" aria-label="${texts.seek}" data-at="live video"${isUnknown}>
<div ${id('seek-peek')} aria-hidden="true" hidden><span ${id('seek-picture')} hidden></span><span ${id('seek-time')}></span></div>
<div class="row">
<button ${id('play')} type="button" data-on="false" aria-label="${client.play}">${iconPair('play', 'pause')}</button>
<button ${id('mute')} type="button" data-on="true" aria-label="${client.unmute}">${iconPair('sound', 'silent')}</button>
<input ${id('volume')} type="range" min="0" max="100" step="5" value="100" aria-label="${texts.volume}">
<button ${id('live-edge')} type="button" data-on="true" data-at="live" aria-label="${client.go_to_live_edge}"><span class="dot"></span>${texts.live_edge}</button>
<span class="time" data-at="live video"><span ${id('behind')} hidden></span><span ${id('times')}${isUnknown}><span class="now"><span ${id('time-now')}>0:00</span> / </span><span ${id('time-total')}>${timeText(durationSeconds)}</span></span></span>
<span class="space"></span>
<select ${id('speed')} aria-label="${texts.speed}" data-at="video">${speeds.map(
    (speed) =>
      html`<option value="${speed}"${speed === 1 ? html` selected` : ''}>${speedName(speed)}</option>`,
  )}</select>
<select ${id('quality')} aria-label="${texts.quality}" hidden></select>
<button ${id('captions')} type="button" data-on="false" data-at="video" aria-label="${client.captions_on}" hidden>${iconPair('captions', 'captionsOn')}</button>
<span ${id('captions-pick')} data-on="false" data-at="video" hidden>${iconPair('captions', 'captionsOn')}<select ${id('captions-choice')} aria-label="${texts.captions}"></select></span>
<button ${id('pip')} type="button" data-on="false" aria-label="${client.enter_pip}" hidden>${iconPair('pip', 'pipOut')}</button>
<button ${id('cast')} type="button" data-on="false" aria-label="${client.enter_cast}" hidden>${icon('cast')}</button>
<button ${id('fullscreen')} type="button" data-on="false" aria-label="${client.enter_fullscreen}" hidden>${iconPair('large', 'small')}</button>
</div></div>`;
}
