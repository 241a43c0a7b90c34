// The bar above every view: where one can go, and who one is.
import type { Language } from '../../../pages/page-data.ts';
import { schemes } from '../../console-look.ts';
import { useConsole, useTexts } from '../console-parts.ts';
import { home, paths } from '../console-place.ts';
import { problemText } from '../problem-text.ts';
import { type Me, mayManage } from '../service-answers.ts';
import { BrandMark, ConsoleIcon } from './console-icon.tsx';
import { Menu, type MenuGroup } from './menu.tsx';

export function TopBar() {
  const { session, router } = useConsole();
  const texts = useTexts();
  const me = session.me.value;
  const { view } = router.moved.value.place;
  const isInside = me && view !== 'sign-in' && view !== 'link';
  return (
    <header class="top-bar">
      <a class="brand" href={home}>
        <BrandMark />
        <span>{texts.brand}</span>
      </a>
      {isInside && (
        <nav class="top-nav" aria-label={texts.nav.main}>
          <a href={home} aria-current={view.startsWith('channel') ? 'page' : undefined}>
            {texts.nav.channels}
          </a>
          <a href={paths.videos()} aria-current={view === 'videos' ? 'page' : undefined}>
            {texts.nav.videos}
          </a>
          <a href={accountHome(me)} aria-current={view === 'account' ? 'page' : undefined}>
            {texts.nav.account}
          </a>
        </nav>
      )}
      <PersonMenu isInside={Boolean(isInside)} />
    </header>
  );
}

/** Who runs no account has their own part of it. */
function accountHome(me: Me): string {
  return paths.account(mayManage(me) ? 'people' : 'me');
}

function PersonMenu({ isInside }: { isInside: boolean }) {
  const { session, toasts } = useConsole();
  const texts = useTexts();
  const { nav } = texts;
  const me = isInside ? session.me.value : undefined;
  const groups = useLookGroups();
  const signOut = async () => {
    const problem = await session.signOut();
    if (problem) toasts.failed(problemText(problem, texts));
  };
  const leave: MenuGroup = {
    items: [
      { text: nav.docs, icon: 'open', onChoose: () => open('/docs', '_blank', 'noopener') },
      { text: nav.sign_out, icon: 'leave', onChoose: signOut },
    ],
  };
  const name = me?.person?.name ?? me?.account.name ?? '';
  return (
    <Menu
      label={me ? `${name}, ${nav.account_menu}` : nav.account_menu}
      groups={me ? [...groups, leave] : groups}
    >
      {me ? (
        <>
          <span class="avatar" aria-hidden="true" data-letter={[...name][0]?.toUpperCase()} />
          <span class="person-name">{name}</span>
        </>
      ) : (
        <ConsoleIcon name="more" />
      )}
    </Menu>
  );
}

const languageNames: Record<Language, string> = { en: 'English', zh: '简体中文' };

/** Each language in its own words, for those who are lost in the other. */
function useLookGroups(): MenuGroup[] {
  const { look } = useConsole();
  const { nav } = useTexts();
  const names = { system: nav.theme_system, light: nav.theme_light, dark: nav.theme_dark };
  return [
    {
      title: nav.theme,
      items: schemes.map((scheme) => ({
        text: names[scheme],
        isChosen: look.scheme.value === scheme,
        onChoose: () => look.chooseScheme(scheme),
      })),
    },
    {
      title: nav.language,
      items: (['en', 'zh'] as const).map((language) => ({
        text: languageNames[language],
        isChosen: look.language.value === language,
        onChoose: () => look.chooseLanguage(language),
      })),
    },
  ];
}
