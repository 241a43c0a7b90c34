// Every bound on who may watch in one place, each with its reason.
import type { Rate } from '../../base/peers/allowance.ts';

export const admissionLimits = Object.freeze({
  // Passes that were ended one by one: they are compared with each playlist that somebody asks for. Who ends more has
  // given away what lets people in, and ends all of them.
  endedMax: 500,
  // A password is typed by hundreds of people, from a slide or a letter.
  passwordCharactersMin: 4,
  passwordCharactersMax: 128,

  // Codes of a channel or a video, and those that are made at once: an answer holds them all.
  codesMax: 20_000,
  codesAtOnceMax: 1_000,
  // Fifty bits: nobody guesses one, and everybody can type it.
  codeCharacters: 10,
  codeNoteCharactersMax: 100,
  // Uids or phones on a list, as many as a body may hold.
  listedMax: 5_000,
  listedCharactersMax: 64,

  // Fields of a registration form: more than anybody fills in to watch something.
  formFieldsMax: 20,
  fieldNameCharactersMax: 40,
  fieldLabelCharactersMax: 120,
  choicesMax: 30,
  choiceCharactersMax: 60,
  // An address, or a sentence: whoever writes more wants to write a letter. A registration is some KB at most.
  answerCharactersMax: 300,
  // Registrations for a channel or a video: strangers make them, and each is a row. Beyond it the door says so.
  registrationsMax: 100_000,
  // How old the count of them may be; meanwhile each node adds its own.
  registrationsCountedMs: 10_000,

  // What lets a page in again, in its cookie: those who come back next week do not ask for the password anew.
  cookieSeconds: 30 * 86_400,
  // What stands in addresses of media: as long as a page's ticket. A page that is open for longer is loaded anew.
  mediaSeconds: 86_400,
  // Of a link that is signed for somebody.
  linkSecondsMin: 60,
  linkSecondsMax: 366 * 86_400,
  linkSeconds: 86_400,

  // How long what is known of a channel is good; a change is told at once besides, on every node.
  knownMs: 2_000,
  // With what is older nobody is let in before it was looked at again.
  staleMs: 5_000,
  // Channels and videos that are known at once; each is some hundred bytes.
  knownMax: 10_000,
});

/**
 * Wrong tries: of one network at one door, and at one door of all networks together. A whole office sits behind one
 * address, and mistypes. Thirty a minute of all are 43,000 a day: a password of six letters outlives that for years.
 */
export const triesOfNetwork: Rate = { atOnce: 10, everyMs: 30_000 };
/** Of one site of IPv6: it has 65,536 networks, and all passwords of four digits are fewer than their tries. */
export const triesOfSite: Rate = { atOnce: 40, everyMs: 5_000 };
export const triesAtDoor: Rate = { atOnce: 200, everyMs: 2_000 };

/**
 * Registrations: of one network at one door, and at one door of all networks together. A hall of three hundred sits behind
 * one address, and fills the form in within ten minutes. Who floods a door fills it in a week.
 */
export const registrationsOfNetwork: Rate = { atOnce: 200, everyMs: 5_000 };
export const registrationsOfSite: Rate = { atOnce: 400, everyMs: 2_500 };
export const registrationsAtDoor: Rate = { atOnce: 5_000, everyMs: 50 };
