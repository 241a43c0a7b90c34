// Live playlists whose parts have names that cannot be guessed: each is made once, however many ask for it.
import {
  type MediaAnswer,
  type MediaCall,
  type PlaylistText,
  takesGzip,
} from '../../base/api/media-answer.ts';
import { RecentMap } from '../../base/lib/recent-map.ts';
import type { SignedNames } from '../../library/admission/signed-names.ts';
import { isLivePiece } from './live-files.ts';

/** Of as many shows at once: the newest of each, and those that slower players still ask for. */
const keptMax = 256;

interface Asked {
  answer: MediaAnswer;
  text: string;
  names: SignedNames;
  /** Where the parts lie, as an address of this site. */
  folder: string;
  call: Pick<MediaCall, 'header'>;
}

export class SignedPlaylists {
  /** By the text they are made of, which no two channels and no two moments share. */
  private readonly made = new RecentMap<string, { of: SignedNames; signed: PlaylistText }>({
    max: keptMax,
  });

  answer(asked: Asked): MediaAnswer {
    const signed = this.signed(asked);
    if (!takesGzip(asked.call.header)) return { ...asked.answer, body: signed.text };
    const headers = { ...asked.answer.headers, 'content-encoding': 'gzip' };
    return { ...asked.answer, headers, body: signed.gzip };
  }

  private signed({ text, names, folder }: Asked): PlaylistText {
    const known = this.made.get(text);
    if (known?.of === names) return known.signed;
    const signed = compressedOnce(signedText(text, (name) => folder + names.signed(name)));
    this.made.set(text, { of: names, signed });
    return signed;
  }
}

/** Names of parts stand alone on a line, or as the `URI` of a tag (RFC 8216 4.3); those of playlists stay as they are. */
function signedText(text: string, addressOf: (name: string) => string): string {
  const renamed = (name: string) => (isLivePiece(name) ? addressOf(name) : name);
  return text
    .split('\n')
    .map((line) =>
      line.startsWith('#')
        ? line.replace(/\bURI="([^"]*)"/g, (_, name: string) => `URI="${renamed(name)}"`)
        : renamed(line),
    )
    .join('\n');
}

function compressedOnce(text: string): PlaylistText {
  let gzip: Uint8Array<ArrayBuffer> | undefined;
  return {
    text,
    get gzip() {
      gzip ??= Bun.gzipSync(text);
      return gzip;
    },
  };
}
