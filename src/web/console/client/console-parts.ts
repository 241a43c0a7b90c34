// What every view of the console has at hand: the service, the way, the person, the looks.
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AnswerMemory } from './answer-memory.ts';
import type { Api } from './api.ts';
import type { Look } from './look.ts';
import type { Network } from './reach.ts';
import type { Router } from './router.ts';
import type { Session } from './signed-in.ts';
import { type ConsoleTexts, consoleTexts } from './texts/console-texts.ts';
import { Times } from './times.ts';
import type { Toasts } from './toasts.ts';
import type { VideoUploads } from './video-uploads.ts';

export interface ConsoleParts {
  api: Api;
  answers: AnswerMemory;
  network: Network;
  router: Router;
  session: Session;
  look: Look;
  toasts: Toasts;
  uploads: VideoUploads;
}

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined);

export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext);
  if (!parts) throw new Error('a view is shown outside the console');
  return parts;
}

/** Every sentence, in the person's language. */
export function useTexts(): ConsoleTexts {
  return consoleTexts[useConsole().look.language.value];
}

/** Times and numbers as the person writes them. */
export function useTimes(): Times {
  const { look, session } = useConsole();
  return new Times(look.language.value, session.me.value?.time_zone);
}
