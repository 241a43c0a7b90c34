// How often something may be done at a door: by each network, by each site of IPv6, and by all networks together.
import { siteOf } from '../../base/lib/network.ts';
import { Allowances, type Rate } from '../../base/peers/allowance.ts';
import type { Admitted } from './admission.ts';
import type { AdmissionBook } from './admission-refusals.ts';

interface DoorRates {
  ofNetwork: Rate;
  ofSite: Rate;
  atDoor: Rate;
}

interface DoorAllowancesOptions extends DoorRates {
  isAllowed(network: string): boolean;
  refusals: Pick<AdmissionBook, 'note'>;
}

export class DoorAllowances {
  private readonly options: DoorAllowancesOptions;

  private readonly networks: Allowances;
  private readonly sites: Allowances;
  private readonly doors: Allowances;

  constructor(options: DoorAllowancesOptions) {
    this.options = options;
    this.networks = new Allowances(options.ofNetwork);
    this.sites = new Allowances(options.ofSite);
    this.doors = new Allowances(options.atDoor);
  }

  /**
   * 0 where it may be done now. While very many do it at a door, a network that has not done it there lately still may:
   * who does it for harm keeps nobody out.
   */
  waitMs(door: Admitted, network: string, at: number): number {
    const { isAllowed, refusals, ofNetwork } = this.options;
    if (isAllowed(network)) return 0;
    const whose = `${door} ${network}`;
    const ofNetworkMs = this.networks.waitMs(whose, at);
    const site = siteOf(network);
    const ofSiteMs = site === undefined ? 0 : this.sites.waitMs(`${door} ${site}`, at);
    const hasDone = this.networks.waitMs(whose, at, ofNetwork.atOnce) > 0;
    const atDoorMs = hasDone ? this.doors.waitMs(door, at) : 0;
    if (ofNetworkMs > 0 || ofSiteMs > 0) refusals.note('network', network);
    else if (atDoorMs > 0) refusals.note('door', network);
    return Math.max(ofNetworkMs, ofSiteMs, atDoorMs);
  }

  take(door: Admitted, network: string, at: number): void {
    this.networks.take(`${door} ${network}`, at);
    const site = siteOf(network);
    if (site !== undefined) this.sites.take(`${door} ${site}`, at);
    this.doors.take(door, at);
  }
}
