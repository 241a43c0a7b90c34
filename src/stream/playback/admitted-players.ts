// RTMP players and what lets them in: asked when they come, and again while they play.

import type { Log } from '../../base/lib/log.ts';
import { UntilEmpty } from '../../base/turns/until-empty.ts';
import type { Admissions, Known } from '../../library/admission/admissions.ts';
import { Refused } from '../rtmp/publish-request.ts';
import type { Player, PlayRequest } from '../rtmp/rtmp-player.ts';

type Asking = Pick<Admissions, 'ofPlay' | 'standing'>;

/** A change is told besides: this finds what was not heard, and passes that have expired. */
const lookEveryMs = 2_000;

interface Playing {
  asked: PlayRequest;
  player: Pick<Player, 'end'>;
}

export class AdmittedPlayers {
  private readonly admissions: Asking;
  private readonly log: Log;

  private readonly playing = new Set<Playing>();
  private isAsked = false;
  private readonly looking = new UntilEmpty({
    isEmpty: () => !this.isAsked,
    work: async () => {
      this.isAsked = false;
      await this.lookAtAll();
    },
  });
  private readonly timer = setInterval(() => this.look(), lookEveryMs);

  constructor(given: { admissions: Asking; log: Log }) {
    this.admissions = given.admissions;
    this.log = given.log;
  }

  /** Throws where it may not play; returns how it leaves. */
  async enter(asked: PlayRequest, player: Pick<Player, 'end'>): Promise<() => void> {
    if (!(await this.mayPlay(asked)))
      throw new Refused('Not everybody may watch this channel: the address needs a pass', 'pass');
    const playing = { asked, player };
    this.playing.add(playing);
    return () => this.playing.delete(playing);
  }

  /** Who may watch has changed. */
  look(): void {
    this.isAsked = true;
    this.looking.begin();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private async lookAtAll(): Promise<void> {
    // What is known is known for two seconds: of those who play the same only the first waits for the database.
    for (const { asked, player } of [...this.playing]) {
      const may = await this.mayPlay(asked).catch((error) => {
        this.log.debug('who may watch could not be looked at', { error });
        return true;
      });
      if (!may) player.end();
    }
  }

  private async mayPlay({ playId, pass, address }: PlayRequest): Promise<boolean> {
    const known: Known = await this.admissions.ofPlay(playId, () => address);
    return !known || this.admissions.standing(known, pass) === 'good';
  }
}
