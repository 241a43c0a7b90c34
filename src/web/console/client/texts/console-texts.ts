// Every sentence of the console, by language.
import type { Language } from '../../../pages/page-data.ts';
import { accessTexts } from './access-texts.ts';
import { accountTexts } from './account-texts.ts';
import { audienceTexts } from './audience-texts.ts';
import { auditTexts } from './audit-texts.ts';
import { captionsTexts } from './captions-texts.ts';
import { channelsTexts } from './channels-texts.ts';
import { controlRoomTexts } from './control-room-texts.ts';
import { deletedTexts } from './deleted-texts.ts';
import { frameTexts } from './frame-texts.ts';
import { nodesTexts } from './nodes-texts.ts';
import { pageEditorTexts } from './page-editor-texts.ts';
import { problemTexts } from './problem-texts.ts';
import { reportsTexts } from './reports-texts.ts';
import { signingInTexts } from './signing-in-texts.ts';
import { uploadsTexts } from './uploads-texts.ts';
import { videosTexts } from './videos-texts.ts';
import { webhookTexts } from './webhook-texts.ts';

/** The same sentences in every language. */
export type ConsoleTexts = ReturnType<typeof textsIn>;

export const consoleTexts: Record<Language, ConsoleTexts> = {
  en: textsIn('en'),
  zh: textsIn('zh'),
};

function textsIn(language: Language) {
  return {
    ...frameTexts[language],
    ...problemTexts[language],
    ...signingInTexts[language],
    ...accountTexts[language],
    ...webhookTexts[language],
    ...auditTexts[language],
    ...nodesTexts[language],
    ...channelsTexts[language],
    ...videosTexts[language],
    ...captionsTexts[language],
    ...deletedTexts[language],
    ...uploadsTexts[language],
    ...reportsTexts[language],
    ...audienceTexts[language],
    ...controlRoomTexts[language],
    ...pageEditorTexts[language],
    ...accessTexts[language],
  };
}
