// Who may be in a room: what its pages' passes are worth, as far as it was last looked at.
import type { Admissions, Known } from '../../library/admission/admissions.ts';

export type AskedAdmissions = Pick<Admissions, 'ofChannel' | 'standing'>;

export class RoomAdmission {
  private readonly channel_id: number;
  private readonly admissions: AskedAdmissions | undefined;

  private known: Known;

  /** Without `admissions` everybody may. */
  constructor(given: { channel_id: number; admissions?: AskedAdmissions | undefined }) {
    this.channel_id = given.channel_id;
    this.admissions = given.admissions;
  }

  async look(): Promise<void> {
    this.known = await this.admissions?.ofChannel(this.channel_id);
  }

  /** Undefined is the pass of a player without a page, which media asks for one. */
  admits(pass: string | undefined): boolean {
    const { admissions, known } = this;
    if (!admissions || !known || pass === undefined) return true;
    return admissions.standing(known, pass) === 'good';
  }
}
