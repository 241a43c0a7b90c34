// Playing on another screen: by the Remote Playback API, or by AirPlay; the button is there where a screen is.
import type { ClientTexts } from '../page-data.ts';
import { setButton } from './buttons.ts';
import { find } from './page-elements.ts';
import type { Player } from './player.ts';
import type { Shown } from './shown.ts';

/** What Apple's browsers have in the place of `remote`. */
interface AppleVideo extends HTMLVideoElement {
  webkitShowPlaybackTargetPicker?(): void;
  readonly webkitCurrentPlaybackTargetIsWireless?: boolean;
}

/** The two ways, told alike. */
interface Screens {
  /** Whether a screen is there that can play what is at that address; called again whenever that changes. */
  watch(address: string, tell: (isThere: boolean) => void): void;
  /** Asks the viewer which; false where they would not, or the browser does not. */
  choose(): Promise<boolean>;
  readonly isConnected: boolean;
  onChange(changed: () => void): void;
}

/** Another screen loads by itself what it plays, so for it the browser must play a file or a list, too. */
export function startCast(player: Player, texts: ClientTexts): Shown {
  const { media } = player;
  const button = find('cast');
  const note = find('cast-note');
  const screens = screensOf(media);
  let watched: string | undefined;
  let isThere = false;
  const show = () => {
    const address = player.castAddress;
    if (screens && address !== watched) {
      watched = address;
      isThere = false;
      if (address !== undefined)
        screens.watch(address, (now) => {
          if (watched === address) isThere = now;
          show();
        });
    }
    const isOn = screens?.isConnected ?? false;
    button.hidden = !isThere && !isOn;
    note.hidden = !isOn;
    setButton(button, isOn, isOn ? texts.leave_cast : texts.enter_cast);
  };
  button.addEventListener('click', async () => {
    player.setCast(true);
    const isChosen = await screens?.choose();
    if (!isChosen && !screens?.isConnected) player.setCast(false);
  });
  screens?.onChange(() => {
    if (!screens.isConnected) player.setCast(false);
    show();
  });
  return { show };
}

function screensOf(media: AppleVideo): Screens | undefined {
  if (media.webkitShowPlaybackTargetPicker) return appleScreens(media);
  return 'remote' in media ? remoteScreens(media) : undefined;
}

/** What is made by a script has no screens, so an element of its own asks, which loads nothing. */
function probeOf(address: string): AppleVideo {
  const probe = document.createElement('video');
  probe.preload = 'none';
  probe.src = address;
  return probe;
}

function remoteScreens(media: HTMLVideoElement): Screens {
  const { remote } = media;
  let probe: HTMLVideoElement | undefined;
  return {
    watch: (address, tell) => {
      probe?.remote.cancelWatchAvailability().catch(ignored);
      probe = probeOf(address);
      // Where a browser cannot look for screens there are none.
      probe.remote.watchAvailability(tell).catch(() => tell(false));
    },
    choose: () =>
      remote.prompt().then(
        () => true,
        () => false,
      ),
    get isConnected() {
      return remote.state !== 'disconnected';
    },
    onChange: (changed) => {
      for (const event of ['connecting', 'connect', 'disconnect'])
        remote.addEventListener(event, changed);
    },
  };
}

function appleScreens(media: AppleVideo): Screens {
  let probe: AppleVideo | undefined;
  return {
    watch: (address, tell) => {
      probe = probeOf(address);
      probe.addEventListener('webkitplaybacktargetavailabilitychanged', (event) => {
        tell('availability' in event && event.availability === 'available');
      });
    },
    choose: () => {
      media.webkitShowPlaybackTargetPicker?.();
      // It says nothing of a viewer who would not: then it plays here, by the browser.
      return Promise.resolve(true);
    },
    get isConnected() {
      return media.webkitCurrentPlaybackTargetIsWireless ?? false;
    },
    onChange: (changed) => {
      media.addEventListener('webkitcurrentplaybacktargetiswirelesschanged', changed);
    },
  };
}

function ignored(): void {}
