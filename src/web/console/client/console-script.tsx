// The script of the console: its parts made and joined, and the views shown.
import { render } from 'preact';
import { filled } from '../../pages/client/page-elements.ts';
import { AnswerMemory } from './answer-memory.ts';
import { Api } from './api.ts';
import { ConsoleApp } from './console-app.tsx';
import { ConsoleContext } from './console-parts.ts';
import { startLook } from './look.ts';
import { startNetwork } from './reach.ts';
import { Router } from './router.ts';
import { sendFile } from './send-file.ts';
import { mePath, startSession } from './signed-in.ts';
import { type ConsoleTexts, consoleTexts } from './texts/console-texts.ts';
import { startToasts } from './toasts.ts';
import { startVideoUploads } from './video-uploads.ts';

const answers = new AnswerMemory();
const session = startSession({ api: () => api, answers, onOver: () => uploads.leave() });
const network = startNetwork(async () => {
  const response = await fetch(mePath, { credentials: 'same-origin' }).catch(() => undefined);
  return response !== undefined && response.status < 500;
});
const api = new Api({
  fetch: (path, init) => fetch(path, init),
  send: sendFile,
  onReach: network.heard,
  onUnauthorized: session.isOver,
});
const router = new Router();
const look = startLook();
const toasts = startToasts();
const uploads = startVideoUploads({
  api,
  onDone: ({ name }) => {
    const texts: ConsoleTexts = consoleTexts[look.language.value];
    toasts.done(filled(texts.uploads.made, { name }));
  },
});

router.start();
const root = document.getElementById('console');
if (root) {
  root.replaceChildren();
  render(
    <ConsoleContext.Provider
      value={{ api, answers, network, router, session, look, toasts, uploads }}
    >
      <ConsoleApp />
    </ConsoleContext.Provider>,
    root,
  );
}
